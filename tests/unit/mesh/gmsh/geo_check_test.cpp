#include "mesh/gmsh/geo_check.h"

#include <fmt/format.h>

#include "mesh/gmsh/geometry_files.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The message that the check of this script ends with; empty where it passes.
std::string complaint_of(const std::string &text) {
  const TemporaryFolder folder;
  try {
    read_geometry(folder.write("part.geo", text), false);
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  return "";
}

const char *const accepted[] = {
    "// nothing but a comment with SystemCall \"x\";",
    "/* SystemCall\n */ Point(1) = {0, 0, 0, 1.e-3};",
    "lc = 0.1; Point(newp) = {0., .5, 1e2, lc}; p = newp - 1; Printf(\"%g points\", p);",
    "Point(1) = {0,0,0}; Point(2) = {1,0,0}; Line(1) = {1,2}; Physical Line(\"a wall\") = {1};",
    "Circle(1) = {1, 2, 3}; Ellipse(2) = {1, 2, 3, 4}; Spline(3) = {1:5}; BSpline(4) = {1, 2, 3};",
    "Line Loop(1) = {1, -2}; Plane Surface(1) = {1}; Surface Loop(1) = {1:6}; Volume(1) = {1};",
    "SetFactory(\"OpenCASCADE\"); Box(1) = {0,0,0, 1,1,1}; Sphere(2) = {0,0,0, 0.5, -Pi/2, Pi/2};\n"
    "BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };\n"
    "v() = BooleanFragments{ Volume{3}; Delete; }{}; Physical Volume(\"v\") = {v()};",
    "out[] = Extrude {0, 0, 1} { Surface{1}; Layers{ {1, 2}, {0.5, 1} }; Recombine; };",
    "Extrude { {0,1,0}, {0,0,0}, Pi/2 } { Line{1}; Layers{5}; Using Index[0]; }",
    "Translate {1, 0, 0} { Duplicata{ Surface{1}; } } Rotate {{0,0,1}, {0,0,0}, Pi} { Volume{1}; }",
    "Transfinite Curve {1:4} = 10 Using Progression 1.2; Transfinite Surface {1} = {1,2,3,4} "
    "Right;",
    "Transfinite Line{1} = 5 Using Bump 0.1; Transfinite Surface \"*\"; Recombine Surface \"*\";",
    "Periodic Surface {2} = {1} Translate {1, 0, 0}; Periodic Curve {1} = {-3};",
    "Field[1] = Distance; Field[1].CurvesList = {1:4}; Field[2] = Threshold; Field[2].InField = "
    "1;\n"
    "Field[3] = MathEval; Field[3].F = Sprintf(\"%g*x + y\", 0.1); Background Field = 2;",
    "Field[1] = BoundaryLayer; Field[1].Size = 0.1; BoundaryLayer Field = 1;",
    "Mesh.Algorithm = 6; Mesh.MeshSizeMax = 0.1; General.Terminal = 1; Geometry.Tolerance = 1e-6;\n"
    "Geometry.Color.Points = Orange; Mesh.Color.Lines = {255, 0, 0}; size = Mesh.MeshSizeMax;",
    "Geometry.OCCTargetUnit = \"M\"; Mesh.MshFileVersion = 4.1; General.NumThreads += 1;",
    "DefineConstant[ lc = {0.1, Min 0.01, Max 1, Step 0.1, Name \"Parameters/size\", Help \"of "
    "cells\"},\n"
    "  n = {3, Choices{1=\"one\", 3=\"three\"}, Name \"Parameters/n\"}, file = {\"a\", Name \"f\"} "
    "];\n"
    "x = DefineNumber[ 2, Name \"Parameters/x\" ]; Point(1) = {x, n, 0, lc};",
    "For i In {0:3:1} Point(i + 1) = {i, 0, 0}; EndFor For (1:2) a = 1; EndFor",
    "For i In {0:3}\n  If (i % 2 == 0 && !Exists(h))\n h = 1;\n ElseIf (i > 2)\n h = 2;\n Else\n h "
    "= 3;\n"
    "  EndIf\nEndFor",
    "Macro Cut\n  p~{t} = newp; Point(p~{t}) = {x, y, 0};\nReturn\nx = 0; y = 1; t = 1; Call Cut;",
    "Function A\n b = 1;\nReturn\nCall A;",
    "a[] = {}; a[] += {1, 2}; n = #a[]; a(0) = 5; b() = a(); c = a[n - 1]; i = 0; i++; c *= 2;",
    "s() = Surface In BoundingBox{0,0,0, 1,1,1}; b() = CombinedBoundary{ Volume{1}; };\n"
    "c() = Abs(Boundary{ Surface{s()}; }); MeshSize{ PointsOf{ Volume{:}; } } = 0.1;\n"
    "Characteristic Length{ 1, 2 } = 0.2; Physical Point(\"p\", 7) = {1};",
    "Point{1} In Surface{1}; Curve{2} In Surface{1}; Surface{3} In Volume{1};",
    "Compound Curve{1, 2}; Compound Surface{3}; Recursive Delete { Surface{1}; } Delete Physicals;",
    "Delete Embedded { Surface{1}; } Coherence; Coherence Mesh; Delete Field [1]; Delete Model;",
    "Color Red { Surface{1}; } Hide \"*\"; Show { Volume{1}; } Hide { Surface{1}; }",
    "name = \"part\"; Physical Surface(StrCat(name, \"s\")) = {1}; If (StrCmp(name, \"x\") == 0) "
    "EndIf",
    "names() = Str(\"a\", \"b\"); Physical Curve(Sprintf(\"wall %g\", 1)) = {1}; SetName \"part\";",
    "View \"sizes\" { ST(0,0,0, 1,0,0, 0,1,0){0.1, 0.2, 0.1}; T3(0,0,0,0){\"text\"}; };\n"
    "Background Mesh View[0]; View[0].Visible = 0;",
    "Mesh 2; RefineMesh; SetOrder 2; OptimizeMesh \"Netgen\"; RenumberMeshNodes;",
    "ClassifySurfaces{40*Pi/180, 1, 1, Pi}; CreateGeometry;",
    "Error(\"too fine: %.3g\", 0.1); Warning('a word'); Exit; Abort;",
    "Ruled Surface(1) = {1} In Sphere{2}; ThruSections(1) = {1:3}; Fillet{1}{2}{0.1}",
    "Physical Surface(\"Merge\") = {1}; // a group of that name",
    "Physical Surface(\"50% sand; SystemCall\") = {1};",
    "Physical Surface(\"Return\") = {1}; Physical Surface(\"Elsewhere\") = {2}; Ifs = 1;",
    "a = {1, 2 , 3};\r\nb = 1;\r\n",
    "Point(1) = {0,0;", // for gmsh to complain of
};

TEST(GeoCheck, WhatGeometriesNeedPasses) {
  for (const char *text : accepted)
    EXPECT_EQ(complaint_of(text), "") << text;
}

struct Refused {
  const char *text;
  int line;
  const char *named; // in the message
};

const Refused refused[] = {
    {"SystemCall \"touch x\";", 1, "SystemCall: it runs a program"},
    {"a = 1;\nSystemCall \"touch x\";", 2, "SystemCall"},
    {"If (0)\n\n  NonBlockingSystemCall 'touch x';\nEndIf", 3, "NonBlockingSystemCall"},
    {"System \"touch x\";", 1, "System"},
    {"OnelabRun(\"a\", \"touch x\");", 1, "OnelabRun"},
    {"Sys~{1} \"touch x\"; ", 1, "a text after '}'"},
    {"StringToName[\"SystemCall\"] \"touch x\";", 1, "StringToName"},
    {"S2N[StrCat(\"System\", \"Call\")] \"touch x\";", 1, "S2N"},
    {"SystemCall = 1;", 1, "SystemCall"},
    {"Save \"x.msh\";", 1, "Save: it writes a file"},
    {"Print \"x.png\";", 1, "Print"},
    {"Printf(\"text\") > \"x\";", 1, "Printf into a file"},
    {"Printf(\"text\") >> \"x\";", 1, "Printf into a file"},
    {"f = \"x\"; Printf(\"text\", 1, 2) > f;", 1, "Printf into a file"},
    {"f = \"x\"; a = 1; Printf(f);", 1, "Printf without a format in quotes"},
    {"Printf(\"%n\", 1);", 1, "the conversion '%n'"},
    {"a = Sprintf(\"%g %s\", 1, 2);", 1, "the conversion '%s'"},
    {"a = Sprintf(\"%*g\", 1, 2);", 1, "the conversion '%*'"},
    {"CreateDir \"x\";", 1, "CreateDir"},
    {"Merge StrCat(\"a\", \".geo\");", 1, "Merge with anything but one name"},
    {"a = \"x.geo\"; Merge a;", 1, "Merge with anything but one name"},
    {"Include Sprintf(\"a%g.geo\", 1);", 1, "Include with anything but one name"},
    {"a() = ShapeFromFile(StrCat(\"a\", \".step\"));", 1, "ShapeFromFile with anything but"},
    {"Plugin(MathEval).Run;", 1, "Plugin"},
    {"Plugin(CutPlane).A = 1;", 1, "Plugin"},
    {"Solver.Executable0 = \"sh\";", 1, "Solver"},
    {"Onelab.x = 1;", 1, "Onelab"},
    {"PostProcessing.GraphPointCommand = \"x\";", 1, "PostProcessing"},
    {"General.DefaultFileName = \"x\";", 1, "a text for the option General.DefaultFileName"},
    {"General.TextEditor = Str[\"x\"];", 1, "General.TextEditor"},
    {"Geometry.DoubleClickedPointCommand = \"x\";", 1, "Geometry.DoubleClickedPointCommand"},
    {"View[0].DoubleClickedCommand = \"x\";", 1, "View.DoubleClickedCommand"},
    {"Other.Option = 1;", 1, "the options of Other"},
    {"Other = 1; Other.Option = 1;", 1, "the options of Other"},
    {"a = GetEnv(\"HOME\");", 1, "GetEnv"},
    {"a() = ListFromFile(\"/etc/passwd\");", 1, "ListFromFile"},
    {"If (FileExists(\"x\")) EndIf", 1, "FileExists"},
    {"a = CurrentDirectory;", 1, "CurrentDirectory"},
    {"Sleep 100;", 1, "Sleep"},
    {"x = GetValue(\"x\", 1);", 1, "GetValue"},
    {"Field[1] = ExternalProcess;", 1, "ExternalProcess"},
    {"Field[1] = Structured; Field[1].FileName = \"x\";", 1, "Structured"},
    {"Field[1] = Distance; Field[1].FileName = \"x\";", 1, "the option FileName of a field"},
    {"Field[1] = Field2;", 1, "fields of the kind Field2"},
    {"a = \"x\"; Call StrCat(\"a\", \"b\");", 1, "Call without a plain name"},
    {"Macro StrCat(\"a\", \"b\")\nReturn", 1, "Macro without a plain name"},
    {"DefineConstant[ a = {\"x\", Name \"n\", Macro \"Action\"} ];", 1, "'Macro' as an attribute"},
    {"DefineConstant[ a = {1, Name \"n\", GmshOption \"x\"} ];", 1, "GmshOption"},
    {"DefineConstant[ a = {\"x\", Name \"n\", ServerAction \"x\"} ];", 1, "ServerAction"},
    {"SetString(\"a\", \"b\");", 1, "SetString"},
    {"Execute \"touch x\";", 1, "the command Execute"},
    {"Execute = 1; Execute \"touch x\";", 1, "the command Execute"},
    {"Execute 3;", 1, "the command Execute"},
    {"Execute Str[\"touch x\"];", 1, "the command Execute"},
    {"Execute { Surface{1}; }", 1, "the command Execute"},
    {"x = 1;\ny = Unknown(3);", 2, "uses Unknown, which it does not define"},
    {"Mesh \"x\";", 1, "a text after 'Mesh'"},
    {"\"x\";", 1, "a text at its beginning"},
    {"Point(1) = {0,0,0} \"x\";", 1, "a text after '}'"},
    {"Alias View[0];", 1, "Alias"},
    {"a = 1; /* no end", 1, "a comment that does not end"},
    {"a = \"no end;\n", 1, "a text that does not end on its line"},
    {"\n\na = \"two\nlines\";", 3, "a text that does not end on its line"},
    {"$MeshFormat\n4.1 0 8\n$EndMeshFormat", 1, "a character that the language does not have"},
    {"a = 1 \\ 2;", 1, "a character that the language does not have"},
    // What gmsh would find in a branch that it skips by letters.
    {"If (0)\n x1EndIf = 1;\nEndIf", 2, "the name x1EndIf, in which gmsh may find"},
    {"Else2 = 1;", 1, "the name Else2, in which gmsh may find"},
    {"isElse = 1;", 1, "the name isElse"},
    {"If (0)\n a = \"EndIf SystemCall 'touch x'; \";\nEndIf", 2, "gmsh may find a word of its own"},
    {"Macro A\n Printf(\" Return SystemCall 'touch x'; \");\nReturn", 2, "a word of its own"},
    {"For i In {1:0}\n Printf('x1EndFor SystemCall \"touch x\"; ');\nEndFor", 2,
     "a word of its own"},
};

TEST(GeoCheck, WhateverElseIsRefusedByNameAndLine) {
  for (const Refused &c : refused) {
    const std::string message = complaint_of(c.text);
    EXPECT_NE(message.find(c.named), std::string::npos) << c.text << "\n" << message;
    EXPECT_NE(message.find(fmt::format("part.geo:{}: ", c.line)), std::string::npos)
        << c.text << "\n"
        << message;
    EXPECT_NE(message.find("--trust"), std::string::npos) << message;
  }
}

TEST(GeoCheck, TextsWithControlCharactersOrTooLongAreRefused) {
  EXPECT_NE(complaint_of(std::string("a = \"x\0y\";", 9)).find("does not end"), std::string::npos);
  EXPECT_NE(complaint_of(std::string("a\0 = 1;", 7)).find("no text has"), std::string::npos);
  EXPECT_NE(complaint_of(std::string(201, 'a') + " = 1;").find("too long"), std::string::npos);
  EXPECT_NE(complaint_of("a = " + std::string(201, '1') + ";").find("too long"), std::string::npos);
  EXPECT_EQ(complaint_of("a = \"" + std::string(500, 'x') + "\";"), "");
  EXPECT_NE(complaint_of("a = \"" + std::string(501, 'x') + "\";").find("too long"),
            std::string::npos);
}

// What gmsh gets has the same words on the same lines, no comments, and space around texts.
TEST(GeoCheck, CopiesHoldTheTokensAndNothingElse) {
  const std::string text = "a = 1; // one\n/* two\n lines */ b\t= \"x\" ;\n\nIf(0)E=2;EndIf";
  EXPECT_EQ(geo_text(geo_tokens(text).all, {}),
            "a = 1 ; \n\nb =         \"x\"        ; \n\nIf ( 0 ) E = 2 ; EndIf \n");
  EXPECT_EQ(geo_text(geo_tokens("Merge 'a\"b';").all, {}), "Merge         'a\"b'        ; \n");
  EXPECT_EQ(geo_text(geo_tokens("Merge \"a\";").all, {{1, "1.geo"}}),
            "Merge         \"1.geo\"        ; \n");
  std::string list = "a = {0";
  for (int i = 1; i < 5000; ++i)
    list += fmt::format(", {}", i);
  const std::string copy = geo_text(geo_tokens(list + "};").all, {});
  std::size_t longest = 0, begin = 0;
  for (std::size_t i = 0; i < copy.size(); ++i)
    if (copy[i] == '\r' || copy[i] == '\n') {
      longest = std::max(longest, i - begin);
      begin = i;
    }
  EXPECT_LT(longest, 4000u);
  EXPECT_EQ(std::count(copy.begin(), copy.end(), '\n'), 1);
}

TEST(GeometryFiles, IncludedAndMergedFilesAreLookedAt) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("sub"));
  const std::string main = folder.write(
      "part.geo",
      "Include \"sub/size.geo\";\nMerge 'part.step';\nMerge \"sizes.pos\"; "
      "Include \"sub/size.geo\"; a() = ShapeFromFile(\"part.step\"); Merge \"none.geo\";"
      "Point(1) = {0, 0, 0, h};");
  folder.write("sub/size.geo", "h = 0.1; Include \"more.txt\";");
  folder.write("sub/more.txt", "k = h;");
  folder.write("part.step", "ISO-10303-21; anything SystemCall");
  folder.write("sizes.pos", "View \"a\" { SP(0,0,0){0.1}; };");
  const GeometryFiles geometry = read_geometry(main, false);
  ASSERT_EQ(geometry.files.size(), 5u);
  fs::create_directory(folder.file("copies"));
  write_copies(geometry, folder.file("copies"));
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder.file("copies")))
    names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"0.geo", "1.geo", "2.step", "3.geo", "4.geo"}));
  const std::string &copy = geometry.files[0].copy_text;
  for (const char *part : {"\"1.geo\"", "\"2.step\"", "\"3.geo\"", "\"missing/none.geo\""})
    EXPECT_NE(copy.find(part), std::string::npos) << copy;
  EXPECT_EQ(copy.find("size"), std::string::npos) << copy;

  // With trust nothing is looked at, but all of them count.
  EXPECT_EQ(read_geometry(main, true).files.size(), 5u);
  const std::string before = read_geometry(main, true).text();
  folder.write("sub/more.txt", "k = 2*h;");
  EXPECT_NE(read_geometry(main, true).text(), before);
}

TEST(GeometryFiles, WhatTheyHoldIsRefusedInTheirNames) {
  const TemporaryFolder folder;
  const auto refused_with = [&](const std::string &text, const std::string &name,
                                const std::string &content) {
    folder.write(name, content);
    const std::string main = folder.write("part.geo", text);
    try {
      read_geometry(main, false);
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("--trust"), std::string::npos) << error.what();
      return std::string(error.what());
    }
    return std::string();
  };
  const struct {
    const char *text, *name, *content, *message;
  } cases[] = {
      {"Include \"a.geo\";", "a.geo", "\nSystemCall \"x\";", "a.geo:2: "},
      {"Include \"a.step\";", "a.step", "\nSystemCall \"x\";", "a.step:2: "},
      {"Merge \"a.geo\";", "a.geo", "Save \"x\";", "a.geo:1: "},
      {"Merge \"a.pos\";", "a.pos", "View \"a\" { SP(0,0,0){1}; };\nSystemCall \"x\";",
       "a.pos:2: "},
      {"Merge \"a.msh\";", "a.msh", "SystemCall \"x\";", "begins with $MeshFormat"},
      {"\nMerge \"a.txt\";", "a.txt", "SystemCall \"x\";", "part.geo:2: gmsh reads this kind"},
      {"Merge \"a.geo.gz\";", "a.geo.gz", "", "gmsh reads this kind of file only with trust"},
      {"Merge \"a.py\";", "a.py", "", "gmsh reads this kind of file only with trust"},
      {"ShapeFromFile(\"a.xyz\")", "a.xyz", "", "gmsh reads this kind of file only with trust"},
  };
  for (const auto &c : cases) {
    const std::string message = refused_with(c.text, c.name, c.content);
    EXPECT_NE(message.find(c.message), std::string::npos) << c.text << "\n" << message;
  }
  EXPECT_EQ(refused_with("Merge \"a.msh\";", "a.msh", "$MeshFormat\n4.1 0 8\n"), "");
  EXPECT_EQ(refused_with("Merge \"A.STP\";", "A.STP", "ISO"), "");
}

TEST(GeometryFiles, WhatIsNoFileIsRefusedWhereItIsNamed) {
  const TemporaryFolder folder;
  const std::string main = folder.write("part.geo", "\nMerge \"sub\";\n");
  fs::create_directory(folder.file("sub"));
  expect_error(ErrorKind::input, {"part.geo:2: the merged file is not a file", "a folder"},
               [&] { read_geometry(main, false); });
  expect_error(ErrorKind::input, {"the geometry file is not a file"},
               [&] { read_geometry(folder.file("sub"), false); });
}

// All geometries that come with Weft, and typical ones of others.
TEST(GeometryFiles, GeometriesOfTheProjectPass) {
  const fs::path root = WEFT_SOURCE_DIR;
  int count = 0;
  for (const char *folder : {"cases", "bench", "tests/data/geometry"})
    for (const auto &entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".geo") {
        ++count;
        EXPECT_NO_THROW(read_geometry(entry.path().string(), false)) << entry.path();
      }
  EXPECT_GE(count, 18);
}

} // namespace
} // namespace weft
