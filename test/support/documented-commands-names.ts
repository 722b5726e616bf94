/** Replacements for the names that pages use. */
export interface LocalNames {
  /** The directory of `penstock.yaml`. */
  readonly configuration: string;
  readonly data: string;
  /** The directory of the user who types the commands; other directories that a page names lie in it too. */
  readonly home: string;
  readonly httpsPort: number;
  readonly clientAuthPort: number;
  /** Further names of a page with their replacements, the longest first. */
  readonly others: readonly (readonly [documented: string, local: string])[];
}

const OWNERS = /-o (?:root|penstock) -g penstock\b/;
const OWNER = /\b(?:root|penstock):(?:penstock)?(?= )/;
const GATEWAY = /https:\/\/(?:gateway\.plant\.example|gateway|localhost)(?::4443)?(?![\w.:-])/;
const PLACES =
  /(?:\/etc\/penstock|\/var\/lib\/private\/penstock-bundles|\/var\/lib\/penstock|\/var\/backups|\/run\/penstock\/penstock\.sock|\/root|\/tmp)(?![\w-])/;

/** Replaces the names of a page with the local ones; everything in one pass, so that nothing is replaced twice. */
export function toLocal(text: string, names: LocalNames): string {
  const others = new Map(names.others);
  const patterns = [...others.keys()].map(escapeForPattern);
  const all = [...patterns, OWNERS.source, OWNER.source, GATEWAY.source, PLACES.source].join('|');
  return text.replaceAll(new RegExp(all, 'g'), (found) => {
    const other = others.get(found);
    if (other !== undefined) return other;
    if (found.startsWith('https:')) {
      // Certificates with another name than this machine has its address besides.
      const host = found.includes('plant.example') ? '127.0.0.1' : 'localhost';
      return `https://${host}:${found.endsWith(':4443') ? names.clientAuthPort : names.httpsPort}`;
    }
    if (found.startsWith('-o')) return '';
    if (found.startsWith('/'))
      return listPaths(names).find(([documented]) => documented === found)?.[1] ?? found;
    // Here, all files belong to the user who runs the test.
    return `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  });
}

/** Replaces the local names with those that a page uses. */
export function toDocumented(text: string, page: string, names: LocalNames): string {
  const host = page.includes('https://gateway') ? 'gateway' : 'localhost';
  const pairs = [
    ...names.others,
    ...listPaths(names),
    [`https://${host}:4443`, `https://localhost:${names.clientAuthPort}`] as const,
    [`https://${host}`, `https://localhost:${names.httpsPort}`] as const,
    ['4443', String(names.clientAuthPort)] as const,
    ['443', String(names.httpsPort)] as const,
  ];
  // Names left out here cannot be found in the output.
  const documented = new Map(pairs.filter(([, local]) => local !== '').map(([name, local]) => [local, name]));
  const pattern = [...documented.keys()]
    .sort((one, other) => other.length - one.length)
    // A port is no part of a longer number.
    .map((local) => (/^\d+$/.test(local) ? `\\b${local}\\b` : escapeForPattern(local)));
  return text.replaceAll(new RegExp(pattern.join('|'), 'g'), (found) => documented.get(found) ?? found);
}

function listPaths({ configuration, data, home }: LocalNames): readonly (readonly [string, string])[] {
  return [
    ['/etc/penstock', configuration],
    ['/var/lib/penstock', data],
    // Without a service manager bundles write into the data directory.
    ['/var/lib/private/penstock-bundles', `${data}/packages/data`],
    // Without a service manager the socket is in the data directory.
    ['/run/penstock/penstock.sock', `${data}/penstock.sock`],
    ['/var/backups', `${home}/backups`],
    ['/root', home],
    ['/tmp', `${home}/tmp`],
  ];
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
