"""A table as Markdown has it."""


def markdown_table(heads, rows):
    """Its lines, an empty one at the end; a row that comes twice stands once."""
    rows = dict.fromkeys(tuple(str(cell).replace("|", "\\|") for cell in row) for row in rows)
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows), ""]
