"""Compares the program `figures` with SciPy, and counts how often its intervals hold the truth."""

import argparse
import random
import subprocess
import sys
from collections.abc import Iterable, Sequence

import numpy
from scipy import stats

RESAMPLES = 999
# Relative; sums of many terms in another order differ in the last digits.
TOLERANCE = 1e-9

Table = tuple[int, int, int, int]


def ask(program: str, questions: Sequence[str]) -> list[list[float]]:
    said = subprocess.run(
        [program], input="\n".join(questions), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    if len(said) != len(questions):
        fail(f"{len(said)} answers to {len(questions)} questions")
    for question, answer in zip(questions, said, strict=True):
        if answer == "?":
            fail(f"no answer to {question}")
    return [[float(word) for word in line.split()] for line in said]


def fail(what: str) -> None:
    print(f"statistics: NOT ok: {what}", file=sys.stderr)
    sys.exit(1)


def agree(title: str, questions: Sequence[str], ours: list[list[float]], theirs: list) -> None:
    worst = 0.0
    for question, mine, other in zip(questions, ours, theirs, strict=True):
        for a, b in zip(mine, other, strict=True):
            worst = max(worst, abs(a - b) / max(abs(b), 1e-3))
            if not abs(a - b) <= TOLERANCE * max(abs(b), 1e-3):
                fail(f"{title}: {question[:80]}: ours {mine}, SciPy's {list(other)}")
    print(f"statistics: ok: {title}: {len(questions)} agree, within {worst:.0e}")


def wilson(successes: int, total: int) -> tuple[float, float]:
    interval = stats.binomtest(successes, total).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def newcombe(
    one: tuple[int, int], other: tuple[int, int], correlation: float = 0
) -> tuple[float, float]:
    """Newcombe's methods 10 for the share of `one` less that of `other`, on SciPy's Wilson ends."""
    (low, high), (its_low, its_high) = wilson(*one), wilson(*other)
    share, its = one[0] / one[1], other[0] / other[1]

    def distance(vector: tuple[float, float]) -> float:
        metric = numpy.array([[1, -correlation], [-correlation, 1]])
        return float(numpy.sqrt(max(0, numpy.array(vector) @ metric @ numpy.array(vector))))

    return (
        share - its - distance((share - low, its_high - its)),
        share - its + distance((high - share, its - its_low)),
    )


def paired(table: Table) -> tuple[float, float, float]:
    both, first, second, neither = table
    n = sum(table)
    numerator = both * neither - first * second
    if numerator > 0:
        numerator = max(numerator - n / 2, 0)
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    phi = numerator / numpy.sqrt(float(margins)) if margins else 0
    ends = newcombe((both + second, n), (both + first, n), phi)
    changed = first + second
    return (*ends, float(stats.binomtest(first, changed).pvalue) if changed else 1.0)


def holm(values: Sequence[float]) -> list[float]:
    """By the definition: the greatest of all corrected values up to its own."""
    return [
        max(min(1, v * sum(w >= v for w in values)) for v in values if v <= value)
        for value in values
    ]


def random_table(dice: random.Random) -> Table:
    """Of any size up to a few thousand cases, with empty cells among them."""
    scale = dice.choice([1, 3, 10, 40, 200, 2000])
    while True:
        cells = [dice.choice([0, dice.randint(0, scale), dice.randint(0, scale)]) for _ in "abcd"]
        if sum(cells):
            return cells[0], cells[1], cells[2], cells[3]


def check_tables(program: str, tables: list[Table], dice: random.Random) -> None:
    singles = [(a, a + b) for a, b, c, d in tables if a + b]
    questions = [f"wilson {a} {n}" for a, n in singles]
    agree("Wilson", questions, ask(program, questions), [wilson(*pair) for pair in singles])

    pairs = [((a, a + b), (c, c + d)) for a, b, c, d in tables if a + b and c + d]
    questions = [f"difference {x} {n} {y} {m}" for (x, n), (y, m) in pairs]
    expected = [newcombe(*pair) for pair in pairs]
    agree("Newcombe, two samples", questions, ask(program, questions), expected)

    questions = ["paired " + words(table) for table in tables]
    answers = ask(program, questions)
    expected = [paired(table) for table in tables]
    title = "Newcombe for pairs and McNemar's exact p"
    agree(title, questions, answers, expected)
    # Small p-values must be right in their first digits, not only small.
    ps = [(mine[2], theirs[2]) for mine, theirs in zip(answers, expected, strict=True)]
    off = [p for p in ps if p[1] > 1e-290 and abs(p[0] / p[1] - 1) > 1e-9]
    if off:
        fail(f"McNemar's p, relative: ours and SciPy's {off[0]}")

    families = [[dice.random() ** 4 for _ in range(dice.randint(1, 40))] for _ in tables]
    for family in families[::3]:
        family[-1] = family[0]
    for name, correct in (
        ("holm", holm),
        ("hochberg", lambda f: stats.false_discovery_control(f, method="bh")),
    ):
        questions = [f"{name} " + words(family) for family in families]
        agree(name, questions, ask(program, questions), [correct(f) for f in families])


def words(values: Iterable[float]) -> str:
    return " ".join(map(repr, values))


def splitmix(seed: int, count: int) -> Iterable[int]:
    state = seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


def check_bootstrap(program: str, seed: int, samples: int) -> None:
    """The same draws give NumPy's quantiles; as many intervals hold the median as of SciPy's."""
    rng = numpy.random.default_rng(seed)
    shifts = [rng.lognormal(0, 1, size) for size in rng.integers(8, 60, samples)]
    questions = [
        f"bootstrap {seed + number} {RESAMPLES} {words(map(float, values))}"
        for number, values in enumerate(shifts)
    ]
    ours = ask(program, questions)

    def same_draws(number: int) -> list[float]:
        values = shifts[number]
        n = len(values)
        draws = [z * n >> 64 for z in splitmix(seed + number, n * RESAMPLES)]
        medians = numpy.median(values[numpy.array(draws).reshape(RESAMPLES, n)], axis=1)
        return [float(end) for end in numpy.quantile(medians, [0.025, 0.975])]

    few = range(0, samples, max(1, samples // 50))
    agree(
        "bootstrap with the same draws",
        [questions[i] for i in few],
        [ours[i] for i in few],
        [same_draws(i) for i in few],
    )
    held = sum(low <= 1 <= high for low, high in ours)
    theirs = 0
    for values in shifts:
        interval = stats.bootstrap(
            (values,), numpy.median, n_resamples=RESAMPLES, method="percentile", rng=rng
        ).confidence_interval
        theirs += bool(interval.low <= 1 <= interval.high)
    # Four standard errors of a coverage of 95 %.
    slack = 4 * (0.95 * 0.05 / samples) ** 0.5
    said = f"bootstrap: {held} of {samples} intervals hold the median, {theirs} of SciPy's"
    if held / samples < 0.95 - slack or abs(held - theirs) / samples > slack:
        fail(said)
    print(f"statistics: ok: {said}")


def check_coverage(program: str, seed: int, count: int) -> None:
    """How often intervals of pairs hold a known difference, and McNemar's false alarms."""
    rng = numpy.random.default_rng(seed)
    for size, chances in ((30, (0.5, 0.1, 0.1, 0.3)), (300, (0.6, 0.06, 0.14, 0.2))):
        tables = rng.multinomial(size, chances, count).tolist()
        answers = ask(program, ["paired " + words(table) for table in tables])
        truth = chances[2] - chances[1]
        held = sum(low <= truth <= high for low, high, _ in answers)
        said = f"pairs: {held} of {count} intervals of {size} cases hold the difference {truth:.2f}"
        if held / count < 0.95 - 4 * (0.95 * 0.05 / count) ** 0.5:
            fail(said)
        print(f"statistics: ok: {said}")
        if truth == 0:
            alarms = sum(p <= 0.05 for _, _, p in answers)
            said = f"McNemar: {alarms} false alarms in {count} at 5 %"
            if alarms / count > 0.05 + 4 * (0.95 * 0.05 / count) ** 0.5:
                fail(said)
            print(f"statistics: ok: {said}")


Cluster = tuple[int, list[int]]


def cluster_question(clusters: list[Cluster], deals: int, seed: int) -> str:
    """Sides and members of each cluster, as `figures` reads them."""
    cells = [cell for side, members in clusters for cell in (side, *members)]
    return f"clusters {len(clusters[0][1])} {deals} {seed} {words(cells)}"


def random_clusters(rng: numpy.random.Generator, categories: int) -> list[Cluster]:
    """Few to some dozen sessions, which differ in what they have and in how many."""
    count = int(rng.integers(4, 60))
    side = rng.random(count) < rng.uniform(0.2, 0.8)
    side[:4] = [False, True, False, True]
    shares = rng.dirichlet(rng.uniform(0.2, 3, categories), count)
    sizes = rng.integers(1, 9, count) if rng.random() < 0.7 else numpy.ones(count, int)
    members = [rng.multinomial(n, p).tolist() for n, p in zip(sizes, shares, strict=True)]
    return [(int(s), m) for s, m in zip(side, members, strict=True)]


def cluster_statistic(members: numpy.ndarray, side: numpy.ndarray) -> numpy.ndarray:
    """As docs/metrics.md has it; the sides of the last axis."""
    total = members.sum(axis=0)
    shares = total / total.sum()
    used = shares > 0
    scores = (members - shares * members.sum(axis=1, keepdims=True))[:, used]
    return ((side @ scores) ** 2 / shares[used]).sum(axis=-1)


def cluster_figures(clusters: list[Cluster]) -> tuple[float, float, float]:
    """Cramér's V by SciPy, Cohen's h of the first category, and the size of its candidate share."""
    side = numpy.array([s for s, _ in clusters])
    members = numpy.array([m for _, m in clusters], float)
    table = numpy.array([members[side == s].sum(axis=0) for s in (0, 1)])
    table = table[:, table.sum(axis=0) > 0].astype(int)
    v = stats.contingency.association(table, method="cramer") if table.shape[1] > 1 else 0.0
    shares = [members[side == s][:, 0].sum() / members[side == s].sum() for s in (0, 1)]
    h = 2 * numpy.arcsin(numpy.sqrt(shares[1])) - 2 * numpy.arcsin(numpy.sqrt(shares[0]))
    mine = members[side == 1]
    sizes, total = mine.sum(axis=1), mine.sum()
    effect = (sizes**2).sum() / total
    if 0 < shares[1] < 1 and len(mine) > 1:
        rest = mine[:, 0] - shares[1] * sizes
        # The variance of a ratio between clusters in units of the binomial one.
        effect = rest.var(ddof=0) * len(mine) ** 2 / (len(mine) - 1)
        effect /= total * shares[1] * (1 - shares[1])
    return float(v), float(h), float(total / max(1, effect))


def permutation_p(clusters: list[Cluster], deals: int, rng: numpy.random.Generator) -> float:
    """SciPy's permutation test, exact where there are few enough deals, on the statistic above."""
    side = numpy.array([s for s, _ in clusters], bool)
    members = numpy.array([m for _, m in clusters], float)
    places = numpy.arange(len(side))

    def statistic(one: numpy.ndarray, _: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        chosen = numpy.zeros((*one.shape[:-1], len(side)))
        numpy.put_along_axis(chosen, one.astype(int), 1, axis=-1)
        # Sums of the same terms in another order are equal.
        return cluster_statistic(members, chosen).round(9)

    found = stats.permutation_test(
        (places[side], places[~side]),
        statistic,
        n_resamples=deals,
        vectorized=True,
        alternative="greater",
        rng=rng,
    )
    return float(found.pvalue)


def check_clusters(program: str, seed: int, count: int) -> None:
    """Effect sizes and sizes of shares exactly; p-values within what drawing deals leaves open."""
    rng = numpy.random.default_rng(seed)
    tables = [random_clusters(rng, int(rng.integers(2, 5))) for _ in range(count)]
    deals = 4999
    questions = [cluster_question(t, deals, seed + i) for i, t in enumerate(tables)]
    answers = ask(program, questions)
    agree(
        "Cramér's V, Cohen's h, size of a share of clusters",
        questions,
        [answer[:3] for answer in answers],
        [cluster_figures(table) for table in tables],
    )
    few = range(0, count, max(1, count // 150))
    worst = 0.0
    for number in few:
        mine, least = answers[number][3:]
        theirs = permutation_p(tables[number], deals, rng)
        # Ours stops after a hundred deals as extreme; theirs draws them all, or knows the answer.
        spread = (theirs * (1 - theirs)) ** 0.5
        error = spread * (1 / deals) ** 0.5 + max(spread / deals**0.5, mine * 0.1)
        worst = max(worst, abs(mine - theirs) / (5 * error + 2 / deals))
        if abs(mine - theirs) > 5 * error + 2 / deals or mine < least / 2 - 1 / deals:
            fail(f"permutation of clusters: {tables[number]}: {mine}, SciPy's {theirs}")
    print(f"statistics: ok: permutation of clusters: {len(few)} agree, at {worst:.0%} of the slack")

    singles = [random_singles(rng) for _ in range(count)]
    questions = [cluster_question(t, deals, seed + i) for i, t in enumerate(singles)]
    answers = ask(program, questions)
    for table, (*_, mine, least) in zip(singles, answers, strict=True):
        exact, extreme = hypergeometric_p(table)
        error = max((exact * (1 - exact) / deals) ** 0.5, exact * 0.1) * 5 + 2 / deals
        if abs(mine - exact) > error or abs(least - extreme) > 1e-9 * extreme:
            fail(f"clusters of one: {mine} and {least}, exactly {exact} and {extreme}")
    print(f"statistics: ok: clusters of one: {len(singles)} as the hypergeometric distribution")


def random_singles(rng: numpy.random.Generator) -> list[Cluster]:
    sizes, chance = rng.integers(1, 120, 2), rng.uniform(0.02, 0.6, 2)
    table: list[Cluster] = []
    for side in (0, 1):
        hits = int(rng.binomial(sizes[side], chance[side]))
        table += [(side, [1, 0])] * hits + [(side, [0, 1])] * int(sizes[side] - hits)
    return table


def hypergeometric_p(table: list[Cluster]) -> tuple[float, float]:
    """Of one-member clusters: as extreme by the distance from what is expected, and the extreme."""
    all_, hits = len(table), sum(members[0] for _, members in table)
    drawn = sum(side for side, _ in table)
    if hits in (0, all_):
        return 1.0, 1.0
    found = sum(members[0] for side, members in table if side)
    law = stats.hypergeom(all_, hits, drawn)
    values = numpy.arange(max(0, drawn + hits - all_), min(hits, drawn) + 1)
    centre = hits * drawn / all_
    reached = numpy.abs(values - centre) >= abs(found - centre) - 1e-9
    exact = min(1.0, float(law.pmf(values[reached]).sum()))
    return exact, float(min(law.pmf(values[[0, -1]])))


def check_ranks(program: str, seed: int, count: int) -> None:
    """The ranks around a percentile by SciPy's binomial distribution."""
    rng = numpy.random.default_rng(seed)
    cases = [(float(rng.choice([0.5, 0.95])), int(rng.integers(1, 5000))) for _ in range(count)]
    questions = [f"ranks {share} {n}" for share, n in cases]

    def expected(share: float, n: int) -> tuple[int, int]:
        numbers = numpy.arange(n + 1)
        low = int((stats.binom.cdf(numbers, n, share) <= 0.025).sum())
        high = int(n + 1 - (stats.binom.sf(numbers - 1, n, share) <= 0.025).sum())
        return low, (high if high <= n else 0)

    agree("ranks", questions, ask(program, questions), [expected(*case) for case in cases])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=1000)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    tables = [random_table(dice) for _ in range(options.tables)]
    check_tables(options.program, tables, dice)
    check_bootstrap(options.program, options.seed, options.tables)
    check_coverage(options.program, options.seed, options.tables)
    check_clusters(options.program, options.seed, options.tables)
    check_ranks(options.program, options.seed, options.tables)


main()
