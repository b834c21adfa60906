// NAFEMS LE10: a quarter of a thick plate between two ellipses, in metres; z = 0 in its middle.
// D = (2, 0) and C = (3.25, 0) lie on the x axis, A = (0, 1) and B = (0, 2.75) on the y axis.
half = 0.3;    // of the thickness
layers = 2;    // of cells, in each half
across = 8;    // cells from the inner to the outer ellipse
along = 10;    // from D to A and from C to B

Point(1) = {0, 0, -half};
Point(2) = {2, 0, -half};
Point(3) = {3.25, 0, -half};
Point(4) = {0, 2.75, -half};
Point(5) = {0, 1, -half};
Line(1) = {2, 3};          // DC
Ellipse(2) = {3, 1, 3, 4}; // CB
Line(3) = {4, 5};          // BA
Ellipse(4) = {5, 1, 2, 2}; // AD
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Curve{1, -3} = across + 1 Using Progression 1.3; // smaller cells inside
Transfinite Curve{2, -4} = along + 1 Using Progression 1.1;
Transfinite Surface{1};
Recombine Surface{1};

// Each half is extruded: its top, its volume, its sides on DC, CB, BA, AD.
lower[] = Extrude{0, 0, half} { Surface{1}; Layers{layers}; Recombine; };
upper[] = Extrude{0, 0, half} { Surface{lower[0]}; Layers{layers}; Recombine; };

Physical Surface("top") = {upper[0]};
Physical Surface("on_x") = {lower[2], upper[2]};   // y = 0
Physical Surface("outer") = {lower[3], upper[3]};
Physical Surface("on_y") = {lower[4], upper[4]};   // x = 0
Physical Volume("plate") = {lower[1], upper[1]};
