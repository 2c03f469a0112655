// A plan in the framework's own types.

#if canImport(FoundationModels)
    import AirshipCore
    import FoundationModels

    @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
    extension GenerationSchema {
        /// - Throws: ``FoundationModelError/unsupportedSchema``.
        init(_ schema: AirshipJSONSchema) throws(FoundationModelError) {
            let root = DynamicGenerationSchema(try GenerationPlan(schema))
            do {
                try self.init(root: root, dependencies: [])
            } catch {
                throw .unsupportedSchema
            }
        }
    }

    @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
    extension DynamicGenerationSchema {
        fileprivate init(_ plan: GenerationPlan) {
            switch plan {
            case .text: self.init(type: String.self)
            case .boolean: self.init(type: Bool.self)
            case .integer: self.init(type: Int.self)
            case .number: self.init(type: Double.self)
            case .choice(let name, let choices): self.init(name: name, anyOf: choices)
            case .array(let items): self.init(arrayOf: DynamicGenerationSchema(items))
            case .object(let name, let description, let properties):
                self.init(
                    name: name, description: description,
                    properties: properties.map { property in
                        Property(
                            name: property.name, description: property.description,
                            schema: DynamicGenerationSchema(property.plan),
                            isOptional: property.isOptional)
                    })
            }
        }
    }
#endif
