// The unit cube of the benchmarks: about 1.5 M tetrahedra with this size.
//   gmsh -3 cube.geo -o cube.msh -format msh41 -bin
// Another size: gmsh -setnumber size 0.03 -3 cube.geo ...
SetFactory("Built-in");
DefineConstant[ size = 0.01436 ];

Point(1) = {0, 0, 0, size};
Point(2) = {1, 0, 0, size};
Point(3) = {1, 1, 0, size};
Point(4) = {0, 1, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
sides[] = Extrude {0, 0, 1} { Surface{1}; };

Physical Volume("cube") = {sides[1]};
Physical Surface("z0") = {1};
Physical Surface("z1") = {sides[0]};
Physical Surface("y0") = {sides[2]};
Physical Surface("x1") = {sides[3]};
Physical Surface("y1") = {sides[4]};
Physical Surface("x0") = {sides[5]};
