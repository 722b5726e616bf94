import { listDemoDevices } from '../../daemon/cli/demo/demo-devices.ts';
import { openModbusTcp } from '../../daemon/simulator/plant-modbus.ts';
import { SimulatedPlant } from '../../daemon/simulator/plant-memory.ts';
import { STEP_MS } from '../../daemon/simulator/plant-model.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from './certificate-authority.ts';
import type { Owner } from './temporary-directory.ts';

/** Commands that build a package with one bundle, install it and damage a file of it while the gateway is stopped. */
export const DAMAGE_A_PACKAGE = String.raw`
mkdir -p pump/META-INF
cat > pump/META-INF/MANIFEST.MF <<'END'
Manifest-Version: 1.0
Bundle-ManifestVersion: 2
Bundle-SymbolicName: com.example.pump
Bundle-Version: 1.0.0
Penstock-Main: main.mjs
END
echo 'export function activate() {}' > pump/main.mjs
penstock package build pump --name com.example.pumps --version 1.0.0 --output pumps.dp
penstock package install pumps.dp
systemctl stop penstock.socket penstock.service
find /var/lib/penstock/packages/store -name main.mjs -exec sh -c 'chmod u+w "$1" && echo spoilt > "$1"' sh {} \;
systemctl start penstock.socket penstock.service`;

/** Returns a gateway with certificates of an authority, and a client that has one of the same authority. */
export async function prepareClient(
  commonName: string,
  provision: object = {},
): Promise<{ configuration: Record<string, unknown>; files: Record<string, string> }> {
  const { certificate } = await getCertificateAuthority();
  const server = await getServerCertificate();
  const client = await getClientCertificate(commonName);
  return {
    configuration: {
      tls: {
        certificateFile: '../home/gateway.crt',
        privateKeyFile: '../home/gateway.key',
        clientCertificateAuthoritiesFile: '../home/ca.crt',
      },
      provision,
    },
    files: {
      'gateway.crt': server.certificate,
      'gateway.key': server.privateKey,
      'ca.crt': certificate,
      'server.crt': certificate,
      [`${commonName}.crt`]: client.certificate,
      [`${commonName}.key`]: client.privateKey,
    },
  };
}

/** Starts the simulated plant, at rest or in motion; returns the drivers and assets that reach it. */
export async function startPlant(
  t: Owner,
  isMoving = false,
): Promise<{ drivers: readonly object[]; assets: readonly object[] }> {
  const plant = new SimulatedPlant();
  const server = await openModbusTcp(plant, '127.0.0.1', 0);
  const timer = isMoving ? setInterval(() => plant.advance(STEP_MS), STEP_MS) : undefined;
  t.after(async () => {
    clearInterval(timer);
    await server.close();
  });
  const devices = listDemoDevices({ 'modbus-tcp': server.endpoint });
  return {
    drivers: devices.map(({ driver }) => driver),
    assets: devices.flatMap(({ driver, assets }) =>
      assets.map((asset) => ({ ...asset, driver: driver.pid })),
    ),
  };
}
