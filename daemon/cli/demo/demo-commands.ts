import path from 'node:path';

import {
  CERTIFICATE_IDENTITY,
  CONSOLE_IDENTITY,
  DEMO_FILES,
  PASSWORD_IDENTITY,
} from './demo-configuration.ts';
import { listDemoDevices } from './demo-devices.ts';
import type { DemoDevice } from './demo-devices.ts';
import type { PlantEndpoints } from '../../simulator/plant-protocol.ts';

interface DemoAddresses {
  readonly directory: string;
  /** Endpoints of the simulated plant. */
  readonly endpoints: PlantEndpoints;
  /** Port without client certificates. */
  readonly httpsPort: number;
  readonly clientAuthPort: number;
}

const STATUS = String.raw`-w '\nstatus %{http_code}\n'`;
// A proxy of the environment would resolve localhost on another machine.
const CURL = `curl -sS --noproxy localhost --cacert ${DEMO_FILES.authority}`;
const AS_CLIENT = `${CURL} --cert ${DEMO_FILES.clientCertificate} --key ${DEMO_FILES.clientKey} ${STATUS}`;
const JSON_BODY = `-H 'Content-Type: application/json'`;

/** Describes the demonstration with commands for any POSIX shell. */
export function describeDemo(addresses: DemoAddresses & { readonly password: string }): string {
  const { directory, endpoints, httpsPort, clientAuthPort, password } = addresses;
  const [byCertificate, byPassword, writing] = listCommands(addresses);
  return `Penstock is running with a simulated heating plant. Open the console in a
browser, which warns about the unknown authority of its certificate:

  Console                     https://localhost:${httpsPort}
  Sign in as                  ${CONSOLE_IDENTITY}
  Password                    ${password}

These are its assets:

${listDemoDevices(endpoints).map(describeDevice).join('')}
  REST by password            https://localhost:${httpsPort}
  REST by client certificate  https://localhost:${clientAuthPort}
  Configuration               ${path.join(directory, DEMO_FILES.configuration)}
  Log of the daemon           ${path.join(directory, DEMO_FILES.log)}

Paste these commands into another terminal.

1. Read the boiler. A client certificate authenticates the identity "${CERTIFICATE_IDENTITY}":

${byCertificate}

2. Log in as "${PASSWORD_IDENTITY}" with a password and read the heat meter in this session:

${byPassword}

3. Write the setpoint of the boiler and read it back:

${writing}

Ctrl-C stops everything and removes the directory ${directory}.
`;
}

function describeDevice({ assets, protocol, endpoint }: DemoDevice): string {
  const pids = assets.map(({ pid }) => pid).join(', ');
  return `  ${pids.padEnd(24)} ${protocol.padEnd(22)} ${endpoint}\n`;
}

/** Returns the three commands; each changes the directory in a subshell. */
export function listCommands({ directory, httpsPort, clientAuthPort }: DemoAddresses) {
  const session = `https://localhost:${httpsPort}/services`;
  const boiler = `https://localhost:${clientAuthPort}/services/assets/boiler`;
  const token = String.raw`sed 's/.*"xsrfToken":"\([^"]*\)".*/X-XSRF-Token: \1/'`;
  const value = '{"channels":[{"name":"setpoint","type":"FLOAT","value":62.5}]}';
  return [
    join(directory, [[AS_CLIENT, `${boiler}/_read`]]),
    join(directory, [
      [
        CURL,
        `${STATUS} -c cookies ${JSON_BODY} -d @${DEMO_FILES.login}`,
        `${session}/session/v1/login/password`,
      ],
      [CURL, `-b cookies ${session}/session/v1/xsrfToken |`, `${token} > xsrf-header`],
      [CURL, `${STATUS} -b cookies -H @xsrf-header`, `${session}/assets/meter/_read`],
    ]),
    join(directory, [
      [AS_CLIENT, `${JSON_BODY} -d '${value}'`, `${boiler}/_write`],
      [AS_CLIENT, `${JSON_BODY} -d '{"channels":["setpoint"]}'`, `${boiler}/_read`],
    ]),
  ] as const;
}

/** Joins multi-line commands to one that stops at the first failure. */
function join(directory: string, commands: readonly (readonly string[])[]): string {
  const lines = commands.map((parts) => parts.join(' \\\n    '));
  return `(${[`cd ${quote(directory)}`, ...lines].join(' &&\n  ')})`;
}

function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
