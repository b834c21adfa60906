"""What a page or a notebook shows of an output, compared with what a program prints.

Every line shown must be among the output's, in that order. Blanks count as one. Numbers must be equal to a
relative 1e-3. `...` in a shown line is any text: what depends on the machine, rounding errors.
"""

import re

RELATIVE = 1e-3

NUMBER = r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)"


def same_line(shown, real):
    """Whether a line of the output is the one that a page shows."""
    pattern, numbers = "", []
    for part in re.split(rf"(\.\.\.|{NUMBER})", " ".join(shown.split())):
        if part == "...":
            pattern += ".*"
        elif re.fullmatch(NUMBER, part):
            pattern += f"({NUMBER})"
            numbers.append(float(part))
        else:
            pattern += re.escape(part)
    found = re.fullmatch(pattern, " ".join(real.split()))
    return found is not None and all(
        abs(float(there) - number) <= RELATIVE * abs(number) for there, number in zip(found.groups(), numbers))


def missing_line(shown, output):
    """The first line shown that the output does not have behind those before it; None if it has all."""
    real = iter(output.splitlines())
    for line in shown:
        if not any(same_line(line, candidate) for candidate in real):
            return line
    return None


def altered(line):
    """The line as a page would show it with one of its numbers wrong, for each number."""
    for number in re.finditer(NUMBER, line):
        yield f"{line[: number.start()]}{1.01 * float(number.group()) + 1:.9g}{line[number.end() :]}"


def lines_shown(text):
    """Those that have to be there: a line of only `...` says that lines are left out."""
    return [line for line in text.splitlines() if line.strip() not in ("", "...")]


def check_shown(test, what, shown, output):
    """That the output has the lines, and would not have them with one of their numbers wrong."""
    missing = missing_line(shown, output)
    test.assertIsNone(missing, f"{what}\nshown, but not there: {missing}\n{output}")
    for i, line in enumerate(shown):
        for wrong in altered(line):
            lines = [*shown[:i], wrong, *shown[i + 1 :]]
            test.assertIsNotNone(missing_line(lines, output), f"{wrong!r} would not be found")
