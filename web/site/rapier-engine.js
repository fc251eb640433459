// Rigid bodies: not here yet.
export async function startRapier(runnel) { runnel.hasEngine = true; }
