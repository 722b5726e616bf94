import type { Release } from './release.ts';
import type { Architecture } from './architecture.ts';

interface ControlOptions {
  readonly architecture: Architecture;
  readonly version: string;
  readonly installedKib: number;
}

const MAXIMUM_LINE = 79;

/**
 * Returns the changelog in Debian's format (deb-changelog(5)): one entry for each list item of the version's section, and of all
 * sections for a version without one, such as a package of a test.
 */
export function writeDebianChangelog(changelog: string, { version, epochSeconds }: Release): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`)) ?? changelog;
  // A list item and its continuation lines.
  const points = section.match(/^- .*(?:\n {2}\S.*)*/gm) ?? [];
  const entries = points.map((point) => wrap(point.slice(2).replaceAll('**', '').split(/\s+/)));
  const date = new Date(epochSeconds * 1000).toUTCString().replace('GMT', '+0000');
  return `penstock (${version}) stable; urgency=medium

${entries.join('\n')}

 -- Penstock maintainers <maintainers@penstock.invalid>  ${date}
`;
}

/** Wraps words as deb-changelog(5) requires: lines of at most 79 characters, indented. */
function wrap(words: readonly string[]): string {
  const lines = ['  *'];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + word.length <= MAXIMUM_LINE) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.join('\n');
}

/** Returns the control file of the package (deb-control(5)). */
export function writeControl({ architecture, version, installedKib }: ControlOptions): string {
  return `Package: penstock
Version: ${version}
Architecture: ${architecture.debian}
Maintainer: Penstock maintainers <maintainers@penstock.invalid>
Installed-Size: ${installedKib}
Depends: libc6 (>= 2.34), libgcc-s1 (>= 3.0), libstdc++6 (>= 10.2), init-system-helpers (>= 1.51), systemd (>= 252)
Section: net
Priority: optional
Description: one secured REST API over the field devices of a gateway
 Penstock is a daemon that reads and writes Modbus, OPC UA and serial devices
 and offers their values over HTTPS: with client certificates, sessions, tokens
 and permissions per identity.
 .
 The package brings its own Node.js runtime and needs no network to install.
`;
}
