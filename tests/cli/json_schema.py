"""Validates JSON by a JSON Schema of draft 2020-12, with the keywords that Weft's schemas use."""

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
CHECKED = {"$ref", "type", "enum", "minimum", "properties", "required", "additionalProperties", "items", "anyOf"}
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
}


def faults(value, schema, root=None, place="$"):
    """What is wrong with the value, a line each with its place; empty: it follows the schema.

    A keyword that is not known here, in what the value has to follow, is an error of the schema: ValueError.
    """
    if isinstance(schema, bool):
        return [] if schema else [f"{place}: must not be there"]
    unknown = schema.keys() - ANNOTATIONS - CHECKED
    if unknown:
        raise ValueError(f"keywords of a schema that are not checked: {sorted(unknown)}")
    root = root or schema
    found = []
    if "$ref" in schema:
        found += faults(value, definition(schema["$ref"], root), root, place)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[name](value) for name in types):
        found.append(f"{place}: {value!r} is not of type {' or '.join(types)}")
    if "enum" in schema and not any(same(value, allowed) for allowed in schema["enum"]):
        found.append(f"{place}: {value!r} is not one of {schema['enum']}")
    if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
        found.append(f"{place}: {value!r} is below {schema['minimum']}")
    if isinstance(value, dict):
        found += faults_of_object(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            found += faults(entry, schema["items"], root, f"{place}[{i}]")
    if "anyOf" in schema:
        alternatives = [faults(value, alternative, root, place) for alternative in schema["anyOf"]]
        if all(alternatives):
            found += min(alternatives, key=len)
    return found


def faults_of_object(value, schema, root, place):
    properties = schema.get("properties", {})
    found = [f"{place}: {name!r} is missing" for name in schema.get("required", []) if name not in value]
    for name, entry in value.items():
        if name in properties:
            found += faults(entry, properties[name], root, f"{place}.{name}")
        else:
            found += faults(entry, schema.get("additionalProperties", True), root, f"{place}.{name}")
    return found


def definition(reference, root):
    """What "#/$defs/NAME" stands for."""
    schema = root
    for name in reference.removeprefix("#/").split("/"):
        schema = schema[name]
    return schema


def same(value, other):
    """Of JSON: 1 and 1.0 are the same, 1 and true are not."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)
