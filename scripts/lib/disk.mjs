// @ts-check
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

const GB = 1024 ** 3;

/**
 * Free space in GB where `path` is or would be made.
 * @param {string} path
 * @returns {Promise<number>}
 */
export async function freeGb(path) {
  try {
    const { bavail, bsize } = await statfs(path);
    return (bavail * bsize) / GB;
  } catch (error) {
    if (dirname(path) === path) throw error;
    return freeGb(dirname(path));
  }
}
