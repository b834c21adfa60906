// A wind tunnel with a step, cut into squares: three blocks that meet along the step's corner.
size = 0.05;   // of the cells
length = 3;
height = 1;
step_at = 0.6;
step_height = 0.2;

Point(1) = {0, 0, 0};
Point(2) = {step_at, 0, 0};
Point(3) = {step_at, step_height, 0};
Point(4) = {length, step_height, 0};
Point(5) = {length, height, 0};
Point(6) = {step_at, height, 0};
Point(7) = {0, height, 0};
Point(8) = {0, step_height, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 7};
Line(7) = {7, 8};
Line(8) = {8, 1};
Line(9) = {8, 3};
Line(10) = {3, 6};
Curve Loop(1) = {1, 2, -9, 8};
Plane Surface(1) = {1};
Curve Loop(2) = {9, 10, 6, 7};
Plane Surface(2) = {2};
Curve Loop(3) = {3, 4, 5, -10};
Plane Surface(3) = {3};
Transfinite Curve{1, 9, 6} = Round(step_at/size) + 1;
Transfinite Curve{2, 8} = Round(step_height/size) + 1;
Transfinite Curve{7, 10, 4} = Round((height - step_height)/size) + 1;
Transfinite Curve{3, 5} = Round((length - step_at)/size) + 1;
Transfinite Surface{1, 2, 3};
Recombine Surface{1, 2, 3};

Physical Surface("gas") = {1, 2, 3};
Physical Curve("inflow") = {7, 8};
Physical Curve("outflow") = {4};
Physical Curve("walls") = {1, 2, 3, 5, 6};
