import { gatewaySettingsSchema } from '../../../daemon/settings/gateway-settings.ts';
import type { LoadedSettings } from '../../../daemon/settings/settings-file.ts';
import type { PlantPart } from '../world/truth.ts';

/** The port on which the gateway of a world serves. */
export const PORT = 80;

// The first administrator, with whom everybody begins; a world has no secrets.
const IDENTITIES = {
  scada: { permissions: ['rest.assets', 'rest.configuration'], password: 'Scada-4711-of-the-world' },
  root: { permissions: ['rest.admin'], password: 'Root-0815-of-the-world' },
} as const;

/** The files of the gateway of a world, and the credentials in them. */
export interface WorldSettings {
  load(dataDirectory: string): LoadedSettings;
  /** Returns the header fields that prove an identity. */
  credentialsOf(name: string): Readonly<Record<string, string>>;
}

/** Creates the static settings, and the provision file with drivers, assets and identities. */
export function createSettings(parts: readonly PlantPart[]): WorldSettings {
  const value = {
    rest: { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true },
    identities: Object.entries(IDENTITIES).map(([name, identity]) => Object.assign({ name }, identity)),
    drivers: parts.map(({ driver }) => driver),
    assets: parts.flatMap(({ driver, assets }) =>
      assets.map(({ pid, points }) => ({
        pid,
        driver: driver.pid,
        channels: points.map(({ channel }) => channel),
      })),
    ),
  };
  return {
    load: (dataDirectory) => ({
      settings: gatewaySettingsSchema.parse({
        dataDirectory,
        http: { ports: [PORT], httpsPorts: [], httpsClientAuthPorts: [] },
      }),
      provisionSources: [{ name: 'provision', value, locate: (fault) => ({ ...fault, file: 'provision' }) }],
    }),
    credentialsOf(name) {
      const { password } = IDENTITIES[name as keyof typeof IDENTITIES];
      return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
    },
  };
}
