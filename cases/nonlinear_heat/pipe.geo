// A quarter of the wall of a pipe that carries hot gas, in millimetres; the axis is the origin.
inner_radius = 100;
outer_radius = 200;

Mesh.MeshSizeMax = 8;

Point(1) = {0, 0, 0};
Point(2) = {inner_radius, 0, 0};
Point(3) = {outer_radius, 0, 0};
Point(4) = {0, outer_radius, 0};
Point(5) = {0, inner_radius, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};

Physical Curve("outer") = {2};
Physical Curve("inner") = {4};
Physical Surface("wall") = {1};
