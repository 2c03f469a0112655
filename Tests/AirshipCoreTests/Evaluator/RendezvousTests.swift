import AirshipCore
import Testing

@Suite("rendezvous", .timeLimit(.minutes(10))) struct RendezvousTests {
    @Test("the first offer counts, whether it comes before or after the wait")
    func first() async {
        let early = Rendezvous<Int>()
        early.settle(1)
        early.settle(2)
        #expect(await early.value == 1)
        let late = Rendezvous<Int>()
        async let value = late.value
        await Task.yield()
        late.settle(3)
        late.settle(4)
        #expect(await value == 3)
        late.settle(5)
    }

    #if os(Linux) || os(macOS)
        @Test("waiting twice is a mistake that stops the process")
        func twice() async {
            await #expect(processExitsWith: .failure) {
                let rendezvous = Rendezvous<Int>()
                rendezvous.settle(1)
                _ = await rendezvous.value
                _ = await rendezvous.value
            }
        }
    #endif
}
