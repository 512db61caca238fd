//! The tracked surface: what must hold after every frame, whatever moves it.

mod blobs;
mod contacts;
mod cuts;
mod merges;
mod motions;
mod necks;
mod remesh;
mod tears;
