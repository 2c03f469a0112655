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


main()
