//! The tracked surface: what must hold after every frame, whatever moves it.

mod blobs;
mod merges;
mod motions;
mod necks;
mod remesh;
