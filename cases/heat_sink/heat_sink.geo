// A plate-fin heat sink, in millimetres: a copper base with aluminium fins on top and a chip below.
SetFactory("OpenCASCADE");

width = 60;          // of the base, both ways
base_height = 4;
num_fins = 11;
fin_height = 25;
fin_width = 1.6;
chip_width = 20;     // the chip sits in the middle of the underside
eps = 1e-3;

Mesh.MeshSizeMax = 1.25;

// The plan, z = base_height: the base with the feet of the fins and the outline of the chip in it.
// The first and the last fin are flush with the base's sides.
Rectangle(1) = {0, 0, base_height, width, width};
Rectangle(2) = {(width - chip_width) / 2, (width - chip_width) / 2, base_height, chip_width, chip_width};
pitch = (width - fin_width) / (num_fins - 1);
For i In {0 : num_fins - 1}
  Rectangle(10 + i) = {i * pitch, 0, base_height, fin_width, width};
EndFor
plan() = BooleanFragments{ Surface{1, 2, 10 : 9 + num_fins}; Delete; }{};
feet() = {};
For i In {0 : num_fins - 1}
  feet() += Surface In BoundingBox{i * pitch - eps, -eps, base_height - eps,
                                   i * pitch + fin_width + eps, width + eps, base_height + eps};
EndFor

// Swept in layers of about 1 mm: down for the base, up for the fins.
Extrude{0, 0, -base_height}{ Surface{plan()}; Layers{4}; }
Extrude{0, 0, fin_height}{ Surface{feet()}; Layers{20}; }

base() = Volume In BoundingBox{-eps, -eps, -eps, width + eps, width + eps, base_height + eps};
fins() = Volume In BoundingBox{-eps, -eps, base_height - eps,
                               width + eps, width + eps, base_height + fin_height + eps};
underside() = Surface In BoundingBox{-eps, -eps, -eps, width + eps, width + eps, eps};
chip() = Surface In BoundingBox{(width - chip_width) / 2 - eps, (width - chip_width) / 2 - eps, -eps,
                                (width + chip_width) / 2 + eps, (width + chip_width) / 2 + eps, eps};
skin() = CombinedBoundary{ Volume{base(), fins()}; };
skin() -= underside();

Physical Volume("base") = base();
Physical Volume("fins") = fins();
Physical Surface("chip") = chip();
Physical Surface("fins") = skin(); // everything the air touches: fins, and the base's top and sides
