// A thin slab of a channel whose floor rises by 15 degrees and becomes level again, cut into
// tetrahedra. "front" is what lies before the shoulder.
angle = 15*Pi/180;
before = 0.2;  // level floor before the ramp
length = 1;    // of the ramp, along x
nose = 0.3;    // of it, where the shock is still on the wall
behind = 0.6;  // level floor behind the shoulder
turn = 0.15;   // of it, at the corner
height = 1;
width = 0.06;

size = Mesh.MeshSizeMax; // of the cells: the case's
layers = Max(1, Round(width/size));
top = length*Tan(angle);
Point(1) = {-before, 0, 0};
Point(2) = {0, 0, 0};
Point(3) = {nose, nose*Tan(angle), 0};
Point(4) = {length, top, 0};
Point(5) = {length + turn, top, 0};
Point(6) = {length + behind, top, 0};
Point(7) = {length + behind, height, 0};
Point(8) = {length, height, 0};
Point(9) = {-before, height, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 7};
Line(7) = {7, 8};
Line(8) = {8, 9};
Line(9) = {9, 1};
Line(10) = {4, 8};
Curve Loop(1) = {1, 2, 3, 10, 8, 9};
Plane Surface(1) = {1};
Curve Loop(2) = {4, 5, 6, 7, -10};
Plane Surface(2) = {2};
// Volume and sides in the order of the curves.
front[] = Extrude {0, 0, width} { Surface{1}; Layers{layers}; };
rear[] = Extrude {0, 0, width} { Surface{2}; Layers{layers}; };

Physical Volume("front") = {front[1]};
Physical Volume("rear") = {rear[1]};
Physical Surface("inflow") = {front[7]};
Physical Surface("outflow") = {rear[4]};
Physical Surface("ramp") = {front[4]};
Physical Surface("level") = {rear[3]};
Physical Surface("walls") = {1, 2, front[0], rear[0], front[2], front[3], front[6], rear[2], rear[5]};
