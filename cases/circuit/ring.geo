// A quarter of a flat ring, 0.1 m to 0.2 m from its centre.
inner = 0.1;
outer = 0.2;
size = 0.02;

Point(1) = {0, 0, 0};
Point(2) = {inner, 0, 0, size};
Point(3) = {outer, 0, 0, size};
Point(4) = {0, outer, 0, size};
Point(5) = {0, inner, 0, size};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

Physical Surface("graphite") = {1};
Physical Curve("ground") = {1};
Physical Curve("electrode") = {3};
Physical Point("terminal") = {4};
