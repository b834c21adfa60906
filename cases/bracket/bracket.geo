// An angle bracket, in millimetres: a leg on the wall with two bolt holes, an arm with an eye.
// x points out of the wall, y along it, z up.
SetFactory("OpenCASCADE");

width = 60;
thickness = 8;
height = 80;         // of the leg on the wall
reach = 70;          // of the arm
fillet = 12;         // in the inner corner
bolt_radius = 4.5;
eye_radius = 8;
eps = 1e-3;

Mesh.MeshSizeMax = 4.5;
Mesh.MeshSizeFromCurvature = 16; // cells round a full circle
Mesh.HighOrderOptimize = 1;

// The profile in the plane y = 0, drawn out along y.
Point(1) = {0, 0, 0};
Point(2) = {reach, 0, 0};
Point(3) = {reach, 0, thickness};
Point(4) = {thickness + fillet, 0, thickness};
Point(5) = {thickness + fillet, 0, thickness + fillet};
Point(6) = {thickness, 0, thickness + fillet};
Point(7) = {thickness, 0, height};
Point(8) = {0, 0, height};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Circle(4) = {4, 5, 6};
Line(5) = {6, 7};
Line(6) = {7, 8};
Line(7) = {8, 1};
Curve Loop(1) = {1 : 7};
Plane Surface(1) = {1};
profile() = Extrude{0, width, 0}{ Surface{1}; };

// Bolt holes through the leg, the eye through the arm.
Cylinder(11) = {-1, 0.25 * width, 0.65 * height, thickness + 2, 0, 0, bolt_radius};
Cylinder(12) = {-1, 0.75 * width, 0.65 * height, thickness + 2, 0, 0, bolt_radius};
Cylinder(13) = {0.7 * reach, 0.5 * width, -1, 0, 0, thickness + 2, eye_radius};
BooleanDifference{ Volume{profile(1)}; Delete; }{ Volume{11 : 13}; Delete; }

wall() = Surface In BoundingBox{-eps, -eps, -eps, eps, width + eps, height + eps};
bolts() = Surface In BoundingBox{-eps, 0.25 * width - bolt_radius - eps, 0.65 * height - bolt_radius - eps,
                                 thickness + eps, 0.75 * width + bolt_radius + eps,
                                 0.65 * height + bolt_radius + eps};
eye() = Surface In BoundingBox{0.7 * reach - eye_radius - eps, 0.5 * width - eye_radius - eps, -eps,
                               0.7 * reach + eye_radius + eps, 0.5 * width + eye_radius + eps,
                               thickness + eps};

Physical Volume("bracket") = Volume{:};
Physical Surface("wall") = wall();
Physical Surface("bolts") = bolts();
Physical Surface("eye") = eye();
