import { execFileSync } from 'node:child_process';

/** Release of Debian that the machines run. */
export const RELEASE = 'bookworm';

/** Where images of machines are kept from one run to the next. */
export const CACHE = '/var/cache/penstock-test';

/** Returns the APT sources of this machine for a release of Debian, as lines of a sources list. */
export function findMirrors(release: string = RELEASE): readonly string[] {
  const format = '$(ORIGIN) $(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)';
  const output = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  const prefix = new RegExp(`^Debian ${RELEASE}[^ ]* `);
  const lines = output.split('\n').filter((line) => prefix.test(line));
  return [...new Set(lines.map((line) => line.replace(prefix, '').replaceAll(RELEASE, release)))];
}
