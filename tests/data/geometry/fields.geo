// Cells' sizes from fields, on a square with an embedded line.
SetFactory("Built-in");
lc = DefineNumber[ 0.2, Name "Parameters/size", Min 0.05, Max 1, Step 0.05 ];
DefineConstant[
  near = {lc/4, Min 0.01, Max 1, Name "Parameters/near size", Help "close to the line"},
  kind = {1, Choices{0="box", 1="distance"}, Name "Parameters/kind"},
  label = {"square", Name "Parameters/label"}
];
Point(1) = {0, 0, 0, lc}; Point(2) = {1, 0, 0, lc}; Point(3) = {1, 1, 0, lc}; Point(4) = {0, 1, 0, lc};
Point(5) = {0.3, 0.5, 0, lc}; Point(6) = {0.7, 0.5, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1}; Line(5) = {5, 6};
Line Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Curve{5} In Surface{1};
Field[1] = Distance;
Field[1].PointsList = {5, 6};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = near; Field[2].SizeMax = lc;
Field[2].DistMin = 0.1; Field[2].DistMax = 0.4;
Field[3] = MathEval;
Field[3].F = Sprintf("0.1 + %g*x*y", 1/4);
Field[4] = Box;
Field[4].VIn = near; Field[4].VOut = lc;
Field[4].XMin = 0; Field[4].XMax = 0.2; Field[4].YMin = 0; Field[4].YMax = 0.2;
Field[5] = Min;
Field[5].FieldsList = {2 : 4};
If (kind == 1) Background Field = 5; Else Background Field = 4; EndIf
Mesh.MeshSizeExtendFromBoundary = 0;
Geometry.Color.Points = Orange; General.Color.Text = White; Mesh.Color.Lines = {255, 0, 0};
Mesh.Algorithm = 6;
Physical Surface(StrCat(label, Sprintf(" of %g", 1))) = {1};
Physical Curve('its "line"') = {5};
