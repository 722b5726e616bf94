import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createChannelSchema } from '../../../../daemon/channel/channel.ts';
import { isBrowsing } from '../../../../daemon/channel/browsing-driver.ts';
import type { BrowsedNode, BrowsePage, BrowsingDriver } from '../../../../daemon/channel/browsing-driver.ts';
import type { ChannelFailure } from '../../../../daemon/channel/channel-record.ts';
import { checkChannel } from '../../../../drivers/opcua/check-channel.ts';
import { addressSchema } from '../../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../../support/asyncua-server.ts';
import { createOpcuaDriver } from '../../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../../support/opcua-server.ts';
import type { OpcuaServer } from '../../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';

const MANY = 230;
const BULK_NODES = 2500;
const TANK = 'nsu=urn:penstock:test;s=tank';
// The key of the gateway takes seconds to make.
const dataDirectory = createTemporaryDirectory({ after });
const channelSchema = createChannelSchema(addressSchema);

suite('with a server on asyncua', needs('asyncua'), () => {
  let server: AsyncuaServer;
  before(async () => {
    server = await startAsyncuaServer({ many: MANY });
  });
  beforeEach(() => server.reset());
  after(() => server[Symbol.asyncDispose]());
  const connect = (t: TestContext) => connectTo(t, `opc.tcp://127.0.0.1:${server.port}`);

  test('a browsed object shows types, units, ranges, access and descriptions of its variables', async (t) => {
    const nodes = await listAll(await connect(t), TANK);
    const byName = new Map(nodes.map((node) => [node.browseName, node]));
    const { node, description, variable, nodeClass, reference } = byName.get('Temperature') ?? assert.fail();
    assert.deepEqual(
      { node, description, nodeClass, reference },
      {
        node: `${TANK}.Temperature`,
        description: 'Temperature half way up',
        nodeClass: 'Variable',
        reference: 'HasComponent',
      },
    );
    assert.deepEqual(variable, {
      dataType: 'Double',
      dimensions: 0,
      arrayDimensions: undefined,
      isReadable: true,
      isWritable: false,
      unit: '°C',
      range: { low: -40, high: 125 },
      channel: {
        type: 'READ',
        valueType: 'DOUBLE',
        unit: '°C',
        address: { nodeId: `${TANK}.Temperature` },
      },
      refusal: undefined,
    });
    assert.equal(byName.get('Pump')?.nodeClass, 'Object');
    assert.equal(byName.get('Pump')?.variable, undefined);
    assert.deepEqual(byName.get('Codes')?.variable?.arrayDimensions, [4]);
    assert.equal(byName.get('Grid')?.variable?.dimensions, 2);
  });

  test('the channel of a variable has the type of its values, and is read-only where the server says so', async (t) => {
    const nodes = await listAll(await connect(t), TANK);
    const channels = nodes.flatMap(({ browseName, variable }) =>
      variable === undefined
        ? []
        : [[browseName, variable.dataType, variable.channel?.valueType, variable.channel?.type]],
    );
    assert.deepEqual(channels, [
      ['Temperature', 'Double', 'DOUBLE', 'READ'],
      ['Setpoint', 'Float', 'FLOAT', 'READ_WRITE'],
      ['State', 'Filling', 'INTEGER', 'READ'],
      ['Codes', 'UInt16', 'STRING', 'READ'],
      ['Grid', 'Int16', 'STRING', 'READ'],
      ['Any', 'BaseDataType', 'LONG', 'READ'],
      ['Nothing', 'BaseDataType', undefined, undefined],
      ['a b/c', 'String', 'STRING', 'READ'],
      ['a b,c', 'String', 'STRING', 'READ'],
      ['Seal', 'Seal', 'STRING', 'READ'],
      ['Hidden', 'Int32', undefined, undefined],
    ]);
    assert.match(
      nodes.find(({ browseName }) => browseName === 'Hidden')?.variable?.refusal?.message ?? '',
      /neither/,
    );
    assert.match(
      nodes.find(({ browseName }) => browseName === 'Nothing')?.variable?.refusal?.message ?? '',
      /without a value/,
    );
  });

  test('units and ranges are shown without TranslateBrowsePathsToNodeIds as well', async (t) => {
    await server.reset({ translates: false });
    const nodes = await listAll(await connect(t), TANK);
    const temperature = nodes.find(({ browseName }) => browseName === 'Temperature');
    assert.deepEqual(
      [temperature?.variable?.unit, temperature?.variable?.range],
      ['°C', { low: -40, high: 125 }],
    );
    assert.equal(nodes.find(({ browseName }) => browseName === 'Codes')?.variable?.unit, undefined);
  });

  test('every variable that has a channel can be read by it, whatever it is', async (t) => {
    const driver = await connect(t);
    const found = [...(await listAll(driver)), ...(await listAll(driver, TANK))];
    const channels = found.flatMap(({ variable }, index) =>
      variable?.channel === undefined
        ? []
        : [channelSchema.parse({ ...variable.channel, name: `c${index}`, unit: variable.channel.unit })],
    );
    assert.ok(channels.length > 25);
    assert.deepEqual(
      channels.flatMap((channel) => checkChannel(channel)),
      [],
    );
    const readings = await driver.prepareRead(channels).read(noDeadline());
    const failed = readings.flatMap(({ failure }, index) =>
      failure === undefined ? [] : [`${String(channels[index]?.address.nodeId)} ${failure.code}`],
    );
    // These show what they are when their values come: fields with names that no object takes, and two that the server does
    // not describe.
    assert.deepEqual(failed, [
      'nsu=urn:penstock:test;s=odd OPCUA_UNSUPPORTED_TYPE',
      'nsu=urn:penstock:test;s=alien OPCUA_UNSUPPORTED_TYPE',
      'nsu=urn:penstock:test;s=broken OPCUA_UNSUPPORTED_TYPE',
    ]);
  });

  test('pages together have every child once, in the order of the server, over the one session', async (t) => {
    const driver = await connect(t);
    const nodes = await listAll(driver, 'nsu=urn:penstock:test;s=many', 100);
    assert.deepEqual(
      nodes.map(({ browseName }) => browseName),
      Array.from({ length: MANY }, (_, index) => `v${index}`),
    );
    assert.equal((await server.count()).sessionsMade, 1);
  });
});

suite('with a server on node-opcua', () => {
  let server: OpcuaServer;
  const directory = createTemporaryDirectory({ after });
  before(async () => {
    server = await startOpcuaServer({ directory, bulkNodes: BULK_NODES });
  });
  beforeEach(() => server.reset());
  after(() => server[Symbol.asyncDispose]());
  const connect = (t: TestContext) => connectTo(t, server.endpointUrl);

  test('a list that a server gives in parts is read to the end of the page, and the next page continues it', async (t) => {
    const driver = await connect(t);
    const folder = (await listAll(driver)).find(({ browseName }) => browseName === 'Test')?.node;
    await server.countRequests();
    const page = await getPage(driver, { node: folder, from: 0, limit: 50 });
    assert.equal(page.nodes.length, 50);
    assert.equal(page.next, 50);
    // The list and the parts of its variables.
    const count = async (): Promise<readonly unknown[]> => {
      const { BrowseRequest, BrowseNextRequest } = await server.countRequests();
      return [BrowseRequest, BrowseNextRequest];
    };
    assert.deepEqual(await count(), [2, undefined]);
    const second = await getPage(driver, { node: folder, from: 50, limit: 50 });
    assert.deepEqual(await count(), [1, 1]);
    const names = [...page.nodes, ...second.nodes].map(({ browseName }) => browseName);
    const whole = await getPage(driver, { node: folder, from: 0, limit: 100 });
    assert.deepEqual(
      names,
      whole.nodes.map(({ browseName }) => browseName),
    );
    // The server has a limit to how many lists it keeps.
    for (let round = 0; round < 30; round += 1) await getPage(driver, { node: folder, from: 0, limit: 5 });
    const nodes = await listAll(driver, folder, 1000);
    assert.equal(nodes.filter(({ browseName }) => browseName.startsWith('bulk.')).length, BULK_NODES);
  });

  test('the last pages of a long list cost as few requests as the first', async (t) => {
    const driver = await connect(t);
    const folder = (await listAll(driver)).find(({ browseName }) => browseName === 'Test')?.node;
    await server.countRequests();
    const costs = new Set<number>();
    let from: number | undefined = 0;
    while (from !== undefined) {
      const page = await getPage(driver, { node: folder, from, limit: 100 });
      const { BrowseRequest = 0, BrowseNextRequest = 0 } = await server.countRequests();
      costs.add(BrowseRequest + BrowseNextRequest);
      from = page.next;
    }
    assert.deepEqual([...costs], [2]);
  });

  test('a page whose list the server no longer has is listed again', async (t) => {
    const driver = await connect(t);
    const folder = (await listAll(driver)).find(({ browseName }) => browseName === 'Test')?.node;
    const pages = async (): Promise<readonly (string | undefined)[]> => {
      const page = await getPage(driver, { node: folder, from: 50, limit: 50 });
      return page.nodes.map(({ node }) => node);
    };
    await getPage(driver, { node: folder, from: 0, limit: 50 });
    await server.dropLists();
    const again = await pages();
    assert.equal(again.length, 50);
    assert.deepEqual(await pages(), again);
  });

  test('values are read while a server is browsed', async (t) => {
    const driver = await connect(t);
    const folder = (await listAll(driver)).find(({ browseName }) => browseName === 'Test')?.node;
    const channel = channelSchema.parse({
      name: 'string',
      type: 'READ',
      valueType: 'STRING',
      address: { nodeId: 'nsu=urn:penstock:test;s=string' },
    });
    const [{ nodes }, readings] = await Promise.all([
      getPage(driver, { node: folder, from: 0, limit: 1000 }),
      driver.prepareRead([channel]).read(noDeadline()),
    ]);
    assert.ok(nodes.length > 500);
    assert.equal(readings[0]?.value, 'Kessel');
  });

  test('a node that does not exist, and one that no NodeId names, are failures that say so', async (t) => {
    const driver = await connect(t);
    const codes = [];
    for (const node of [
      'nsu=urn:penstock:test;s=nothing',
      'nsu=urn:nowhere;s=a',
      'Boiler',
      'i=99999999999',
    ]) {
      codes.push((await getFailure(driver, node)).code);
    }
    assert.deepEqual(codes, [
      'OPCUA_BAD_NODE_ID_UNKNOWN',
      'OPCUA_NAMESPACE_UNKNOWN',
      'OPCUA_NODE_ID_INVALID',
      'OPCUA_NODE_ID_INVALID',
    ]);
  });

  for (const how of ['endless', 'empty', 'other', 'none'] as const) {
    test(`a server whose answers are ${how} is a failure, and its values can be read all the same`, async (t) => {
      const driver = await connect(t);
      await server.answerBrowses(how);
      const failure = await getFailure(driver, 'i=85', 5000);
      assert.equal(failure.code, 'OPCUA_INVALID_RESPONSE');
      const level = channelSchema.parse({
        name: 'string',
        type: 'READ',
        valueType: 'STRING',
        address: { nodeId: 'nsu=urn:penstock:test;s=string' },
      });
      assert.equal((await driver.prepareRead([level]).read(noDeadline()))[0]?.value, 'Kessel');
    });
  }

  test('a server that gives more than it was asked for makes no page longer', async (t) => {
    const driver = await connect(t);
    await server.answerBrowses('huge');
    const page = await getPage(driver, { node: 'i=85', from: 0, limit: 10 });
    assert.equal(page.nodes.length, 10);
    assert.equal(page.next, 10);
  });

  test('a node of another server, and one whose namespace has no name, are shown and have no address', async (t) => {
    const driver = await connect(t);
    await server.answerBrowses('elsewhere');
    const nodes = await listAll(driver);
    assert.deepEqual(
      nodes.map(({ browseName, node }) => [browseName, node]),
      [
        ['far', undefined],
        ['new', undefined],
      ],
    );
  });

  test('a browse of a server that falls silent ends with its time', async (t) => {
    const driver = await connect(t);
    server.hold();
    await assert.rejects(driver.browse({ node: 'i=85', from: 0, limit: 10, signal: noDeadline() }), {
      code: 'OPCUA_LINK_LOST',
    });
  });

  test('a browse that is given up while the server lists without end is over at once', async (t) => {
    const driver = await connect(t);
    await server.answerBrowses('endless');
    const giveUp = new AbortController();
    const browsing = driver.browse({ node: 'i=85', from: 0, limit: 5000, signal: giveUp.signal });
    giveUp.abort(new Error('given up'));
    const outcome = await browsing;
    assert.ok('failure' in outcome);
    assert.equal(outcome.failure.code, 'DEADLINE_EXCEEDED');
  });
});

test('a server that takes fewer nodes in one request than there are children is asked in parts', async (t) => {
  const operationLimits = {
    maxNodesPerRead: 7,
    maxNodesPerBrowse: 3,
    maxNodesPerTranslateBrowsePathsToNodeIds: 5,
  };
  await using limited = await startOpcuaServer({
    directory: createTemporaryDirectory(t),
    operationLimits,
    tellsLimits: false,
    bulkNodes: 30,
  });
  const driver = await connectTo(t, limited.endpointUrl);
  const folder = (await listAll(driver)).find(({ browseName }) => browseName === 'Test')?.node;
  const nodes = await listAll(driver, folder, 1000);
  assert.equal(nodes.filter(({ variable }) => variable?.channel !== undefined).length > 60, true);
});

async function connectTo(t: TestContext, endpointUrl: string): Promise<BrowsingDriver> {
  const driver = createOpcuaDriver({ endpointUrl }, { dataDirectory });
  t.after(() => driver.disconnect());
  await driver.connect(noDeadline(), () => undefined);
  assert.ok(isBrowsing(driver));
  return driver;
}

async function listAll(driver: BrowsingDriver, node?: string, limit = 100): Promise<readonly BrowsedNode[]> {
  const nodes: BrowsedNode[] = [];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const page: BrowsePage = await getPage(driver, { node, from, limit });
    nodes.push(...page.nodes);
    from = page.next;
  }
  return nodes;
}

async function getPage(
  driver: BrowsingDriver,
  range: { readonly node?: string | undefined; readonly from: number; readonly limit: number },
): Promise<BrowsePage> {
  const page = await driver.browse({ ...range, signal: noDeadline() });
  if ('failure' in page) assert.fail(`${page.failure.code}: ${page.failure.message}`);
  return page;
}

async function getFailure(driver: BrowsingDriver, node: string, limit = 10): Promise<ChannelFailure> {
  const outcome = await driver.browse({ node, from: 0, limit, signal: noDeadline() });
  if (!('failure' in outcome)) assert.fail('it is no failure');
  return outcome.failure;
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
