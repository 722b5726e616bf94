import { execFileSync } from 'node:child_process';

// In steps: no call gets the whole path. Perl, because a shell keeps the whole path of its directory.
const PROGRAM = 'chdir shift; $n = "d" x 200; for (1 .. shift) { mkdir $n or die $!; chdir $n or die $!; }';

/** Makes directories below one another whose path soon is longer than the system allows (PATH_MAX, 4096 bytes). */
export function makeDeepPath(directory: string, levels: number): void {
  execFileSync('perl', ['-e', PROGRAM, directory, String(levels)]);
}
