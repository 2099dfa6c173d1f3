const WRITABLE = /^\/(?:workspace|home\/agent|tmp|dev\/shm|dev\/mqueue)(?:\/|$)/;

/** Whether the workload can put files there. */
export function isWorkloadPath(path: string): boolean {
  return WRITABLE.test(path);
}
