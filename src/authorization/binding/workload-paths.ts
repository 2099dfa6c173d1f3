const WRITABLE = /^\/(?:workspace|home\/agent|tmp|dev\/shm|dev\/mqueue)(?:\/|$)/;

/** Whether the workload can put files there. */
export function isWorkloadPath(path: string): boolean {
  return WRITABLE.test(path);
}

/** Whether a command of root cannot write there while the kernel confines it. */
export function holdsStill(path: string): boolean {
  return /^\/(?:workspace|tmp|dev\/shm)\//.test(path);
}
