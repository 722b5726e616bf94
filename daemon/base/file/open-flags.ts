/** Finds a file or directory without opening it (open(2)); missing in node:fs. The same on x64 and arm64. */
export const O_PATH = 0o10_000_000;
