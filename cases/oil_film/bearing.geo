// A film of oil between a shell of steel and a shaft above it, unrolled: 2 mm along, the film
// 0.05 mm high, the shell 5 mm.
length = 2;
film = 0.05;
shell = 5;

Point(1) = {0, -shell, 0};
Point(2) = {length, -shell, 0};
Point(3) = {length, 0, 0};
Point(4) = {length, film, 0};
Point(5) = {0, film, 0};
Point(6) = {0, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {6, 3}; // where the oil wets the shell
Curve Loop(1) = {1, 2, -7, 6};
Curve Loop(2) = {7, 3, 4, 5};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Transfinite Curve {1, 7, 4} = 9;
Transfinite Curve {2, 6} = 7;
Transfinite Curve {3, 5} = 4;
Transfinite Surface {1};
Transfinite Surface {2};
Recombine Surface {1, 2};

Physical Surface("shell") = {1};
Physical Surface("film") = {2};
Physical Curve("housing") = {1};
Physical Curve("wetted") = {7};
Physical Curve("shaft") = {4};
