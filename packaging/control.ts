import type { Architecture } from './architecture.ts';

export interface ControlOptions {
  readonly architecture: Architecture;
  readonly version: string;
  readonly installedKib: number;
}

/** Gives the control file of the package (deb-control(5)). */
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
