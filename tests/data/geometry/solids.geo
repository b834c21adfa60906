// OpenCASCADE: solids cut, joined and turned, and a body of a STEP file that lies beside.
SetFactory("OpenCASCADE");
Mesh.CharacteristicLengthMax = 0.5;
Geometry.OCCTargetUnit = "M";
Box(1) = {0, 0, 0, 2, 1, 1};
Cylinder(2) = {1, -1, 0.5, 0, 3, 0, 0.25};
Sphere(3) = {2, 0.5, 0.5, 0.4};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
all() = BooleanFragments{ Volume{4}; Delete; }{ Volume{3}; Delete; };
copy() = Translate {3, 0, 0} { Duplicata{ Volume{all(0)}; } };
Rotate {{0, 0, 1}, {3, 0, 0}, Pi/8} { Volume{copy()}; }
step() = ShapeFromFile("solids_body.brep");
Dilate {{0, 0, 0}, 0.5} { Volume{step()}; }
ends() = Surface In BoundingBox {-0.01, -0.01, -0.01, 0.01, 1.01, 1.01};
skin() = CombinedBoundary { Volume{:}; };
Physical Volume("solids") = {Volume{:}};
Physical Surface("end") = ends();
Physical Surface("skin") = {Abs(skin())}; // ends, too
