//! The tracked surface: what must hold after every frame, whatever moves it.

mod blobs;
mod cuts;
mod merges;
mod motions;
mod necks;
mod remesh;
mod tears;
