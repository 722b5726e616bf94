import { AttributeIds, DataType, LogLevel, OPCUAClient, setLogLevel } from 'node-opcua-client';
import type { ClientSession } from 'node-opcua-client';
import { OPCUACertificateManager } from 'node-opcua-certificate-manager';

import { serveRemote } from './remote.ts';
import { quantile } from './statistics.ts';

let session: ClientSession | undefined;

setLogLevel(LogLevel.Emergency);
serveRemote({ connect, readNodes });

async function connect({
  endpointUrl,
  directory,
}: {
  readonly endpointUrl: string;
  readonly directory: string;
}): Promise<void> {
  const client = OPCUAClient.create({
    endpointMustExist: false,
    clientCertificateManager: new OPCUACertificateManager({
      rootFolder: directory,
      disableFileWatchers: true,
    }),
  });
  await client.connect(endpointUrl);
  session = await client.createSession();
}

/** Returns the median duration of one read of the nodes, in microseconds. */
async function readNodes({
  nodeIds,
  durationMs,
}: {
  readonly nodeIds: readonly string[];
  readonly durationMs: number;
}): Promise<number> {
  if (session === undefined) throw new Error('there is no session');
  const nodes = nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value }));
  const durations: number[] = [];
  const deadline = performance.now() + durationMs;
  for (let start = performance.now(); start < deadline; start = performance.now()) {
    const values = await session.read(nodes);
    if (values.some(({ value }) => value.dataType !== DataType.Int32)) throw new Error('a value is wrong');
    durations.push((performance.now() - start) * 1000);
  }
  return quantile(Float64Array.from(durations).sort(), 0.5);
}
