// A plate-fin heat sink, in millimetres: a copper base with aluminium fins on top and a chip below.
SetFactory("OpenCASCADE");

width = 60;          // of the base, both ways
base_height = 4;
num_fins = 11;
fin_height = 25;
fin_width = 1.6;
chip_width = 20;     // the chip sits in the middle of the underside
eps = 1e-3;

Mesh.MeshSizeMax = 1.15;
Mesh.Algorithm3D = 10; // HXT: a second for 190,000 tetrahedra

// The base stands on z = 0; the first and the last fin are flush with its sides.
Box(1) = {0, 0, 0, width, width, base_height};
pitch = (width - fin_width) / (num_fins - 1);
For i In {0 : num_fins - 1}
  Box(10 + i) = {i * pitch, 0, base_height, fin_width, width, fin_height};
EndFor
Rectangle(1000) = {(width - chip_width) / 2, (width - chip_width) / 2, 0, chip_width, chip_width};
BooleanFragments{ Volume{1, 10 : 9 + num_fins}; Delete; }{ Surface{1000}; Delete; }

base() = Volume In BoundingBox{-eps, -eps, -eps, width + eps, width + eps, base_height + eps};
fins() = Volume In BoundingBox{-eps, -eps, base_height - eps,
                               width + eps, width + eps, base_height + fin_height + eps};
skin() = CombinedBoundary{ Volume{base(), fins()}; };
underside() = Surface In BoundingBox{-eps, -eps, -eps, width + eps, width + eps, eps};
chip() = Surface In BoundingBox{(width - chip_width) / 2 - eps, (width - chip_width) / 2 - eps, -eps,
                                (width + chip_width) / 2 + eps, (width + chip_width) / 2 + eps, eps};
skin() -= underside();

Physical Volume("base") = base();
Physical Volume("fins") = fins();
Physical Surface("chip") = chip();
Physical Surface("fins") = skin(); // everything the air touches: fins, and the base's top and sides
