import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { gatewaySettingsSchema } from '../../../daemon/settings/gateway-settings.ts';
import type { LoadedSettings } from '../../../daemon/settings/settings-file.ts';
import { FIRST_TUNING } from '../people/tuning.ts';
import type { WorldCertificates } from '../world/certificates.ts';
import type { PlantPart } from '../world/truth.ts';

/** The port on which the gateway of a world serves. */
export const PORT = 80;

/** Its other ports. */
export const SECURE_PORTS = { https: 443, 'client-auth': 4443 } as const;

/** Identities that people manage; each has a client certificate. */
export const MANAGED_IDENTITIES = ['operator', 'historian', 'scada'];

// The first administrator, with whom everybody begins; a world has no secrets.
const IDENTITIES = {
  plant: { permissions: ['rest.assets', 'rest.configuration'], password: 'Scada-4711-of-the-world' },
  root: { permissions: ['rest.admin'], password: 'Door-0815-of-the-world' },
} as const;

const FILES = { server: 'server.crt', key: 'server.key', authority: 'client-ca.pem' } as const;

interface SettingsOptions {
  readonly parts: readonly PlantPart[];
  /** Holds the certificates, and the packages to install. */
  readonly directory: string;
  /** Whether used refresh tokens are remembered across restarts. */
  readonly keepsUsedTokens: boolean;
}

/** Writes the certificates of a gateway where its settings look for them. */
export function writeCertificates(directory: string, { server, clientAuthority }: WorldCertificates): void {
  const write = (name: string, text: string): void =>
    writeFileSync(path.join(directory, name), text, { mode: 0o600 });
  write(FILES.server, server.certificate);
  write(FILES.key, server.privateKey);
  write(FILES.authority, clientAuthority);
}

/** Identities that are there from the first start, and that nobody changes. */
export type WorldIdentity = keyof typeof IDENTITIES;

/** The files of the gateway of a world, and the credentials in them. */
export interface WorldSettings {
  load(dataDirectory: string): LoadedSettings;
  /** Sections that a gateway begins with. */
  readonly sections: Readonly<Record<string, unknown>>;
  readonly residents: readonly string[];
  /** Returns the header fields that prove an identity. */
  credentialsOf(name: WorldIdentity): Readonly<Record<string, string>>;
  passwordOf(name: WorldIdentity): string;
}

/** Creates the static settings, and the provision file with drivers, assets and identities. */
export function createSettings({ parts, directory, keepsUsedTokens }: SettingsOptions): WorldSettings {
  const sections = {
    rest: {
      basicAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
      jwtUsedRefreshTokensPersistent: keepsUsedTokens,
      ...FIRST_TUNING,
    },
    drivers: parts.map(({ driver }) => driver),
    assets: parts.flatMap(({ driver, assets }) =>
      assets.map(({ pid, points }) => ({
        pid,
        driver: driver.pid,
        channels: points.map(({ channel }) => channel),
      })),
    ),
  };
  const identities = Object.entries(IDENTITIES).map(([name, identity]) => Object.assign({ name }, identity));
  const value = { ...sections, identities };
  return {
    sections,
    residents: Object.keys(IDENTITIES),
    load: (dataDirectory) => ({
      settings: gatewaySettingsSchema.parse({
        dataDirectory,
        http: {
          ports: [PORT],
          httpsPorts: [SECURE_PORTS.https],
          httpsClientAuthPorts: [SECURE_PORTS['client-auth']],
        },
        tls: {
          certificateFile: path.join(directory, FILES.server),
          privateKeyFile: path.join(directory, FILES.key),
          clientCertificateAuthoritiesFile: path.join(directory, FILES.authority),
        },
        deployment: { fileSourceDirectories: [directory] },
      }),
      files: [],
      provisionSources: [{ name: 'provision', value, locate: (fault) => ({ ...fault, file: 'provision' }) }],
    }),
    passwordOf: (name) => IDENTITIES[name].password,
    credentialsOf(name) {
      const { password } = IDENTITIES[name];
      return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
    },
  };
}
