"""How the network learns: self-play, training, rating and export. Needs the extra ``learn``."""
