import { listDemoDevices } from './demo-devices.ts';
import type { PlantEndpoints } from '../../simulator/plant-protocol.ts';

/** Names of the files in the directory of the demonstration. */
export const DEMO_FILES = {
  configuration: 'penstock.yaml',
  log: 'daemon.log',
  authority: 'ca.crt',
  serverCertificate: 'server.crt',
  serverKey: 'server.key',
  clientCertificate: 'scada.crt',
  clientKey: 'scada.key',
  login: 'login.json',
} as const;

/** Identity that authenticates by client certificate. */
export const CERTIFICATE_IDENTITY = 'scada';

/** Identity that authenticates by password. */
export const PASSWORD_IDENTITY = 'operator';

/** Administrator for the console, with the same password. */
export const CONSOLE_IDENTITY = 'engineer';

/**
 * Returns the penstock.yaml of the demonstration, in which paths are relative to its directory.
 *
 * @param endpoints endpoints of the simulated plant
 * @param password of the identities `operator` and `engineer`
 */
export function formatDemoConfiguration(endpoints: PlantEndpoints, password: string): string {
  // JSON is valid YAML and quotes where needed.
  const devices = listDemoDevices(endpoints);
  const drivers = devices.map(({ driver }) => `    - ${JSON.stringify(driver)}\n`);
  const assets = devices.flatMap((device) =>
    device.assets.map(({ pid, channels }) => {
      const lines = channels.map((channel) => `        - ${JSON.stringify(channel)}\n`);
      return `    - pid: ${pid}\n      driver: ${device.driver.pid}\n      channels:\n${lines.join('')}`;
    }),
  );
  return `# Written by "penstock demo", which removes it at its end.
dataDirectory: data
shutdownTimeoutSeconds: 5
http:
  host: 127.0.0.1
  httpsPorts: [0]             # any free port
  httpsClientAuthPorts: [0]
tls:
  certificateFile: ${DEMO_FILES.serverCertificate}
  privateKeyFile: ${DEMO_FILES.serverKey}
  clientCertificateAuthoritiesFile: ${DEMO_FILES.authority}
provision:
  rest:
    statelessCertificateAuthenticationEnabled: true
  identities:
    - { name: ${CERTIFICATE_IDENTITY}, permissions: [rest.assets] }
    - { name: ${PASSWORD_IDENTITY}, permissions: [rest.assets], password: ${JSON.stringify(password)} }
    - { name: ${CONSOLE_IDENTITY}, permissions: [rest.admin], password: ${JSON.stringify(password)} }
  drivers:
${drivers.join('')}  assets:
${assets.join('')}`;
}
