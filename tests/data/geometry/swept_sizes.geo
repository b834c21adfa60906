coarse = 0.5; fine = coarse / 2;
