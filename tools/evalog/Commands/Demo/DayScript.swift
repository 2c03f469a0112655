// The demonstration's day: what the user and the system do when. DayMaterial.swift has the words.

import AirshipCore

/// One row of the day.
struct DayRow: Sendable {
    /// Since midnight.
    let minute: Int
    let moment: DayMoment

    init(_ hour: Int, _ minute: Int, _ moment: DayMoment) {
        self.minute = hour * 60 + minute
        self.moment = moment
    }
}

/// What happens then. Counts are those of the whole day; a live day does fewer of each.
enum DayMoment: Sendable {
    /// The app comes to the foreground: another session, other views.
    case opens
    /// The app goes to the background: its views end, its log is written.
    case closes
    case registersModels
    /// The model of the system can be asked from now on, or not.
    case modelBecomes(AirshipAI.Availability)
    /// The user switches on-device AI.
    case onDeviceAI(Bool)
    /// So many scenes are triggered, one after another.
    case scenes(Int)
    /// The scene of that name is triggered.
    case scene(String)
    /// So many banners arrive for a place on screen; each is ranked among those that are pending.
    case banners(Int, in: String)
    /// A banner arrives while another is being ranked, so many times.
    case overtakenBanners(Int, in: String)
    /// So many people's texts are typed into a field and submitted.
    case texts(Int, into: String)
    /// A text is changed while the model still reads it, so many times.
    case overtakenTexts(Int, into: String)
    /// A new version of the system, which brings another model; the phone restarts.
    case systemUpdate
}

enum DayScript {
    static let rows: [DayRow] = [
        // Before the app has registered a model nothing can be asked.
        DayRow(6, 41, .opens),
        DayRow(6, 41, .scenes(2)),
        DayRow(6, 42, .registersModels),
        DayRow(6, 43, .banners(6, in: "home_banner")),
        DayRow(6, 55, .scenes(6)),
        DayRow(7, 10, .closes),
        // On the way. The second look at the home screen, after more than half an hour, is another
        // impression in the same session.
        DayRow(8, 4, .opens),
        DayRow(8, 5, .banners(10, in: "home_banner")),
        DayRow(8, 22, .texts(4, into: "feedback/comment")),
        DayRow(8, 30, .scenes(8)),
        DayRow(9, 5, .banners(6, in: "home_banner")),
        DayRow(9, 20, .closes),
        // For an hour the system prepares its model.
        DayRow(10, 0, .modelBecomes(.unavailable(reason: .missingModel))),
        DayRow(10, 3, .opens),
        DayRow(10, 4, .scenes(3)),
        DayRow(10, 15, .banners(4, in: "deals_strip")),
        DayRow(10, 30, .texts(2, into: "support/description")),
        DayRow(10, 50, .closes),
        DayRow(11, 0, .modelBecomes(.available)),
        // A lunch break of somebody who is faster than the model.
        DayRow(12, 10, .opens),
        DayRow(12, 11, .banners(7, in: "deals_strip")),
        DayRow(12, 25, .overtakenBanners(4, in: "deals_strip")),
        DayRow(12, 35, .texts(5, into: "support/description")),
        DayRow(12, 50, .overtakenTexts(4, into: "support/description")),
        DayRow(13, 0, .scene("reading_digest")),
        DayRow(13, 5, .closes),
        // The user does without, and changes their mind.
        DayRow(13, 40, .opens),
        DayRow(13, 41, .onDeviceAI(false)),
        DayRow(13, 42, .scenes(3)),
        DayRow(13, 50, .banners(3, in: "home_banner")),
        DayRow(13, 58, .texts(1, into: "feedback/comment")),
        DayRow(14, 2, .onDeviceAI(true)),
        DayRow(14, 3, .scenes(4)),
        DayRow(14, 15, .closes),
        DayRow(15, 0, .systemUpdate),
        DayRow(15, 20, .opens),
        DayRow(15, 20, .registersModels),
        DayRow(15, 21, .banners(8, in: "home_banner")),
        DayRow(15, 40, .texts(5, into: "support/description")),
        DayRow(15, 50, .scenes(6)),
        DayRow(16, 5, .closes),
        // The evening, on two places at once.
        DayRow(18, 30, .opens),
        DayRow(18, 31, .banners(6, in: "home_banner")),
        DayRow(18, 45, .banners(6, in: "deals_strip")),
        DayRow(19, 0, .texts(4, into: "feedback/comment")),
        DayRow(19, 10, .overtakenTexts(2, into: "feedback/comment")),
        DayRow(19, 20, .scenes(8)),
        DayRow(19, 45, .closes),
    ]
}
