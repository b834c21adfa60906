// A coated fuel particle, in micrometres: a spherical kernel of tetrahedra in four shells of prisms,
// which are swept outwards from the triangles of the kernel's surface.
kernel_radius = 250;

Point(1) = {0, 0, 0};
Point(2) = {kernel_radius, 0, 0};
Point(3) = {0, kernel_radius, 0};
Point(4) = {-kernel_radius, 0, 0};
Point(5) = {0, -kernel_radius, 0};
Point(6) = {0, 0, kernel_radius};
Point(7) = {0, 0, -kernel_radius};
Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Circle(3) = {4, 1, 5};
Circle(4) = {5, 1, 2};
Circle(5) = {2, 1, 6};
Circle(6) = {3, 1, 6};
Circle(7) = {4, 1, 6};
Circle(8) = {5, 1, 6};
Circle(9) = {2, 1, 7};
Circle(10) = {3, 1, 7};
Circle(11) = {4, 1, 7};
Circle(12) = {5, 1, 7};
For i In {0 : 3}
  j = (i + 1) % 4;
  Curve Loop(1 + i) = {1 + i, 6 + i - 4 * (i == 3), -(5 + i)};
  Surface(1 + i) = {1 + i};
  Curve Loop(5 + i) = {-(1 + i), 9 + i, -(10 + i - 4 * (i == 3))};
  Surface(5 + i) = {5 + i};
EndFor
skin() = {1 : 8};
Surface Loop(1) = skin();
Volume(1) = {1};


// Buffer, inner carbon, silicon carbide, outer carbon: {layers of cells}, {distance of the shell's
// outer side from the kernel}, along the surface's normals. For each surface Extrude returns five
// numbers: the new outer surface, the volume, the sides.
swept() = Extrude { Surface{skin()}; Layers{{8, 3, 3, 3}, {95, 135, 170, 210}}; Recombine; };
outside() = {};
shells() = {};
For i In {0 : 7}
  outside() += swept(5 * i);
  shells() += swept(5 * i + 1);
EndFor

Physical Volume("kernel") = {1};
Physical Volume("coating") = shells();
Physical Surface("outside") = outside();
