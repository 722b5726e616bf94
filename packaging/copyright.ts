/** A component of a CycloneDX bill, as far as it is looked at here. */
interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly { readonly expression: string }[];
}

/** Gives the copyright file: the licence of the product and of every module in the package, from its bill. */
export function writeCopyright(bill: string): string {
  const { components } = JSON.parse(bill) as { readonly components: readonly Component[] };
  const rows = components.map(({ name, version, licenses = [] }) => {
    const terms = licenses.map(({ expression }) => expression);
    return ` ${name} ${version ?? ''}: ${terms.join(' AND ') || 'see its folder'}`;
  });
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Penstock

Files: *
Copyright: 2026 The Penstock contributors
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

Files: usr/lib/penstock/node_modules/* usr/lib/penstock/bin/node
Copyright: their authors, named in the licence files of each folder
License: various
 The licences of the modules, whose texts lie in their folders:
 .
${rows.join('\n')}
`;
}
