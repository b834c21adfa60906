// The words of Gmsh's language that a geometry may use though nobody knows its author, and what may
// be done with them.
//
// Source: Gmsh reference manual, chapters "Gmsh scripting language" and "Gmsh options"; `gmsh
// -help_options`.
#pragma once

#include <string>
#include <string_view>

namespace weft {

enum class GeoRole {
  free,            // anywhere: shapes, transformations, meshing, functions of numbers
  entity,          // Point, Curve, Surface, Volume and their other names
  text_function,   // gives a text
  format_function, // Sprintf: a format and numbers
  print,           // Printf, Warning, Error: the same as a command
  flow,            // conditions, loops, macros
  file,            // Include, Merge: one name of a file
  shape_file,      // ShapeFromFile
  options,         // General, Geometry, Mesh: what stands before the point of an option
  view,            // View: of numbers at places, and of options
  field,           // Field
  color,           // Color: a colour follows
  named,           // takes a text: SetName "part"
  definition,      // DefineConstant and others, in brackets with attributes
  question,        // Exists: its name need not be there
  refused,         // reason_to_refuse() says why
  unknown,         // a name of the geometry's own, perhaps
};

GeoRole geo_role(std::string_view word);
// "it runs a program"; empty for other words.
std::string reason_to_refuse(std::string_view word);

// Words that have a meaning only behind another one, or before a brace: they may be names
// elsewhere.
bool may_follow(std::string_view before, std::string_view word); // Using Progression
bool may_open_brace(std::string_view word);                      // Boundary { ... }
bool is_infix(std::string_view word);         // what may follow a name: x Using ...
bool is_attribute(std::string_view word);     // DefineConstant[ x = {1, Min 0} ]
bool is_view_element(std::string_view word);  // View "a" { ST(...){...}; }
bool is_field_type(std::string_view word);    // Field[1] = Threshold
bool is_text_option(std::string_view option); // Geometry.OCCTargetUnit = "M"

} // namespace weft
