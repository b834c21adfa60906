#include "mesh/gmsh/geo_words.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

struct Words {
  GeoRole role;
  const char *words;
};

const Words all_words[] = {
    {GeoRole::entity, "Point Line Curve Surface Volume"},
    // Shapes and what is done with them.
    {GeoRole::free,
     "Physical Loop Plane Ruled Compound Circle Ellipse Ellipsis Spline BSpline Bezier CatmullRom "
     "Nurbs Knots Order Wire Disk Rectangle Sphere PolarSphere Box Block Cylinder Torus Cone Wedge "
     "Ellipsoid ThruSections ThickSolid Catenary Filling Parent Coordinates Euclidian Quadric "
     "Translate Rotate Symmetry Dilate Affine Extrude Layers ScaleLastLayer Hole Using "
     "QuadTriAddVerts QuadTriaddverts QuadTriNoNewVerts RecombLaterals Recomblaterals Split "
     "Intersect Fillet Chamfer Sewing HealShapes Coherence Recursive Delete "
     "BooleanUnion BooleanFuse BooleanIntersection BooleanCommon BooleanDifference BooleanCut "
     "BooleanFragments BooleanCoherence BooleanSection BoundingBox Mass CenterOfMass "
     "MatrixOfInertia In SetTag SetMaxTag SyncModel NewModel SetFactory CreateGeometry "
     "CreateTopology ClassifySurfaces Duplicata"},
    // Meshing.
    {GeoRole::free,
     "Transfinite TransfQuadTri Recombine Smoother Periodic MeshSize MeshSizeFromBoundary "
     "MeshAlgorithm Characteristic Length ReverseMesh Reverse RelocateMesh ReorientMesh RefineMesh "
     "RecombineMesh RenumberMeshNodes RenumberMeshElements Degenerated Background BoundaryLayer "
     "SetOrder"},
    // Numbers.
    {GeoRole::free,
     "Abs Fabs Acos ArcCos Asin ArcSin Atan ArcTan Atan2 ArcTan2 Ceil Cos Cosh Exp Floor Fmod "
     "Hypot "
     "Log Log10 Max Min Modulo Rand Round Sin Sinh Sqrt Step Tan Tanh Pi newp newc newl newcl "
     "newll "
     "news newsl newv newreg newf List Unique LinSpace LogSpace Find StrCmp StrFind StrLen "
     "GetNumber "
     "Cpu Memory TotalMemory MPI_Rank MPI_Size TestLevel GMSH_MAJOR_VERSION GMSH_MINOR_VERSION "
     "GMSH_PATCH_VERSION"},
    // What is shown of it, and the end.
    {GeoRole::free, "Draw SetChanged Exit Abort"},
    {GeoRole::text_function, "Str StrCat StrChoice StrPrefix StrRelative StrReplace StrSub "
                             "UpperCase LowerCase LowerCaseIn"},
    {GeoRole::format_function, "Sprintf"},
    {GeoRole::print, "Printf Warning Error"},
    {GeoRole::flow, "If ElseIf Else EndIf For EndFor Macro Function Return Call"},
    {GeoRole::file, "Include Merge MergeWithBoundingBox"},
    {GeoRole::shape_file, "ShapeFromFile"},
    {GeoRole::options, "General Geometry Mesh"},
    {GeoRole::view, "View"},
    {GeoRole::field, "Field"},
    {GeoRole::color, "Color"},
    {GeoRole::named, "SetName OptimizeMesh Show Hide"},
    {GeoRole::definition, "DefineConstant DefineNumber DefineString UndefineConstant SetNumber"},
    {GeoRole::question, "Exists GetForced"},
};

const std::pair<const char *, const char *> refused_words[] = {
    {"it runs a program", "SystemCall NonBlockingSystemCall System OnelabRun OnelabAction Plugin "
                          "ExternalProcess Solver Onelab"},
    {"it writes a file", "Save Print CreateDir SendToServer PostProcessing"},
    {"it reads files or names that nothing here can look at",
     "GetEnv ListFromFile FileExists FixRelativePath AbsolutePath DirName CurrentDirectory "
     "CurrentDir "
     "CurrentFileName GmshExecutableName CodeName Structured MergeFile"},
    {"it makes names that nothing here can look at",
     "StringToName S2N NameToString N2S NameStruct DimNameSpace Struct Append SetString GetString "
     "GetStringValue GetForcedStr"},
    {"it waits for somebody", "Sleep GetValue SetCurrentWindow UnsplitWindow "
                              "SplitCurrentWindowHorizontal SplitCurrentWindowVertical"},
    {"geometries do not need it",
     "Alias AliasWithOptions CopyOptions Combine ColorTable Levelset Parametric Homology "
     "Cohomology "
     "Betti AdaptMesh TransformMesh PartitionMesh SetPartition Slide TextAttributes Today "
     "INTERPOLATION_SCHEME GeoEntity"},
};

const std::pair<const char *, const char *> behind[] = {
    {"Using",
     "Progression Power Bump Beta Progression_HWall Bump_HWall Beta_HWall Beta_Symmetrical "
     "Beta_Symmetrical_HWall Index View"},
    {"Delete", "Model Meshes Physicals Variables Options All Embedded Empty"},
    {"Coherence", "Geometry Mesh"},
};

using Set = std::unordered_set<std::string_view>;

// The words of a line of them.
Set set_of(std::string_view words) {
  Set set;
  while (!words.empty()) {
    const std::size_t length = std::min(words.find(' '), words.size());
    set.insert(words.substr(0, length));
    words.remove_prefix(std::min(length + 1, words.size()));
  }
  return set;
}

std::unordered_map<std::string_view, GeoRole> make_roles() {
  std::unordered_map<std::string_view, GeoRole> roles;
  for (const Words &words : all_words)
    for (const std::string_view word : set_of(words.words))
      roles.emplace(word, words.role);
  for (const auto &[reason, words] : refused_words)
    for (const std::string_view word : set_of(words))
      roles.emplace(word, GeoRole::refused);
  return roles;
}

} // namespace

GeoRole geo_role(std::string_view word) {
  static const auto roles = make_roles();
  const auto found = roles.find(word);
  return found == roles.end() ? GeoRole::unknown : found->second;
}

std::string reason_to_refuse(std::string_view word) {
  for (const auto &[reason, words] : refused_words)
    if (set_of(words).count(word) > 0)
      return reason;
  return "";
}

bool may_follow(std::string_view before, std::string_view word) {
  for (const auto &[first, words] : behind)
    if (first == before)
      return set_of(words).count(word) > 0;
  return false;
}

bool may_open_brace(std::string_view word) {
  static const Set words = set_of("Boundary CombinedBoundary PointsOf");
  return words.count(word) > 0;
}

bool is_infix(std::string_view word) {
  static const Set words = set_of("In Using Knots Order Translate Rotate Affine MeshAlgorithm Left "
                                  "Right Alternate AlternateLeft AlternateRight");
  return words.count(word) > 0;
}

bool is_attribute(std::string_view word) {
  static const Set words = set_of("Name Min Max Step Choices Help Label Range ReadOnly "
                                  "ReadOnlyRange Visible Highlight AutoCheck "
                                  "Closed Units Loop Graph Aspect NeverChanged ShortHelp");
  return words.count(word) > 0;
}

bool is_view_element(std::string_view word) {
  static const Set words = set_of(
      "SP VP TP SL VL TL ST VT TT SQ VQ TQ SS VS TS SH VH TH SI VI TI SY VY TY SG VG TG SD VD "
      "TD SL2 VL2 TL2 ST2 VT2 TT2 SQ2 VQ2 TQ2 SS2 VS2 TS2 SH2 VH2 TH2 SI2 VI2 TI2 SY2 VY2 TY2 "
      "T2 T3 TIME");
  return words.count(word) > 0;
}

bool is_field_type(std::string_view word) {
  static const Set words = set_of(
      "Attractor AttractorAnisoCurve Ball BoundaryLayer Box Constant Curvature "
      "Cylinder Distance Extend Frustum Gradient IntersectAniso Laplacian LonLat MathEval "
      "MathEvalAniso Max MaxEigenHessian Mean Min MinAniso Octree Param PostView Restrict Sphere "
      "Threshold UTM");
  return words.count(word) > 0;
}

bool is_text_option(std::string_view option) {
  return option == "Geometry.OCCTargetUnit";
}

} // namespace weft
