import { SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { listOperations } from './operations.ts';
import type { MeasuredPlant, Operation } from './operations.ts';
import { createResources } from './package-resources.ts';
import { serveRemote } from './remote.ts';

export interface AdministratorOptions {
  readonly port: number;
  readonly name: string;
  readonly password: string;
  readonly plant: Omit<MeasuredPlant, 'package'>;
  readonly packageMegabytes: number;
}

let client: SessionClient | undefined;
let measured: MeasuredPlant | undefined;
let operations: readonly Operation[] = [];

serveRemote({ open, perform });

/** Signs in and lists the operations of every route that the gateway describes. */
async function open({
  port,
  name,
  password,
  plant,
  packageMegabytes,
}: AdministratorOptions): Promise<readonly string[]> {
  client = new SessionClient({ port });
  const resources = createResources(packageMegabytes);
  measured = { ...plant, package: buildPackage({ symbolicName: 'large', resources }) };
  await client.login(name, password);
  operations = await listAll(client);
  return operations.map(({ method, path, note }) =>
    [method, path, ...(note === undefined ? [] : [`(${note})`])].join(' '),
  );
}

/** Performs the operation at this place of the list. */
async function perform(index: number): Promise<void> {
  const operation = operations[index];
  if (client === undefined || measured === undefined || operation === undefined)
    throw new RangeError(`no operation ${index}`);
  if (operation.perform !== undefined) return operation.perform(client, measured);
  const { method, path, body } = operation;
  const [resource = ''] = path.split('?');
  const present =
    method === 'PUT' && body !== undefined && body.length > 0
      ? await client.send('GET', resource)
      : undefined;
  const { status, text } = await client.send(method, path, {
    headers: { 'If-Match': '*' },
    ...(body === undefined ? {} : { body: body(present?.json) }),
  });
  if (status >= 500 || (status >= 400 && method !== 'GET'))
    throw new Error(`${method} ${path}: ${status} ${text}`);
}

async function listAll(session: SessionClient): Promise<readonly Operation[]> {
  const { json } = await session.send('GET', '/services/openapi.json');
  const { paths } = json as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const listed = listOperations({
        method: method.toUpperCase(),
        path: template.replaceAll(/\{(\w+)\}/g, ':$1'),
        isStream: JSON.stringify(described).includes('"text/event-stream"'),
      });
      if (listed === undefined) throw new Error(`no operation measures ${method} ${template}`);
      return listed;
    }),
  );
}
