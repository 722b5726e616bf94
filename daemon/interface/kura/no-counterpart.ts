/** Path of Kura without counterpart, and what serves the purpose here. */
interface MissingCounterpart {
  /** Path below `/services`; all below it included. */
  readonly path: string;
  /** Sentence for the client, without a full stop. */
  readonly instead: string;
}

const KEY_FILES =
  'keys and certificates are files on the gateway: use penstock certificate, or replace the files';

/** Paths of Kura without counterpart; those that begin like another come first. */
export const MISSING_COUNTERPARTS: readonly MissingCounterpart[] = [
  { path: 'keystores/v1/entries/certificate', instead: KEY_FILES },
  { path: 'keystores/v1/entries/keypair', instead: KEY_FILES },
  { path: 'keystores/v2/entries/certificate', instead: KEY_FILES },
  { path: 'keystores/v2/entries/keypair', instead: KEY_FILES },
  { path: 'keystores/v2/entries/privatekey', instead: KEY_FILES },
  {
    path: 'inventory/v1/containers',
    instead:
      'the gateway runs no containers: programs run as bundles, listed in /services/inventory/v1/bundles',
  },
  {
    path: 'inventory/v1/images',
    instead: 'the gateway runs no containers: packages are listed in /services/deploy/v2',
  },
  {
    path: 'configuration/v2',
    instead: 'use /services/configuration/v1, which has the whole configuration as JSON',
  },
  { path: 'cloudconnection/v1', instead: 'use the MQTT or Sparkplug package: penstock bundle configure' },
  {
    path: 'networkConfiguration/v1',
    instead: 'Debian configures the network: use nmcli or systemd-networkd',
  },
  { path: 'networkStatus/v1', instead: 'Debian manages the network: use ip or nmcli on the gateway' },
  {
    path: 'wire/v1',
    instead: 'use recorders and events, or a bundle that reads and writes channels',
  },
  { path: 'command/v1', instead: 'commands of the machine need a login on it: use ssh' },
  { path: 'position/v1', instead: 'the gateway has no position: read a receiver as a serial device' },
  { path: 'security/v1', instead: 'the gateway has no security policy of Java: see penstock doctor' },
  { path: 'security/v2', instead: 'the gateway has no security policy of Java: see penstock doctor' },
  { path: 'tamper/v1', instead: 'the gateway has no tamper detection: read a contact as a channel' },
  { path: 'serviceListing/v1', instead: 'use /services/openapi.json, which describes every endpoint' },
];

/**
 * Describes what serves the purpose of a path of Kura.
 *
 * @param path absolute path, without query
 * @returns a sentence; undefined: not a path of Kura without counterpart
 */
export function describeMissingCounterpart(path: string): string | undefined {
  const found = MISSING_COUNTERPARTS.find(({ path: root }) => `${path}/`.startsWith(`/services/${root}/`));
  return found === undefined ? undefined : `no counterpart of ${found.path} of Kura: ${found.instead}`;
}
