import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CreateMonitoredItemsRequest,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  NodeId,
} from 'node-opcua-client';

import type { ServiceRequest, ServiceResponse } from '../../drivers/opcua/transport/service-transport.ts';
import { SMALL_NODES } from './devices/opcua/node-plans.ts';
import { createOpcuaPart } from './devices/opcua/opcua-part.ts';
import { OpcuaNetwork } from './devices/opcua/opcua-network.ts';
import { RestCheck } from './plant/rest-check.ts';
import { Chronicle } from './world/chronicle.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';

const HOUR_MS = 3_600_000;
const LEFT = /^mill has 1 subscriptions/;

test('a subscription with items that was not deleted is found', async () => {
  const { call, brokenAt } = createServer();
  const { subscriptionId } = subscribe(call);
  call(new CreateMonitoredItemsRequest({ subscriptionId, itemsToCreate: [createItem()] }));
  assert.match(await brokenAt(HOUR_MS / 2), LEFT);
});

test('a subscription that its client cannot know yet may be left, until it has sent its first message', async () => {
  const { call, brokenAt } = createServer();
  subscribe(call);
  assert.equal(await brokenAt(HOUR_MS), '');
  assert.match(await brokenAt(HOUR_MS + 2000), LEFT);
});

type Call = (request: ServiceRequest) => ServiceResponse | undefined;

function createServer(): {
  readonly call: Call;
  readonly brokenAt: (ms: number) => Promise<string>;
} {
  const time = new SimulatedTime();
  const chronicle = new Chronicle(time);
  const random = new Random('rest');
  const numbers = { firstPoint: 1, assetCount: 1 };
  const network = new OpcuaNetwork();
  const part = createOpcuaPart({
    time,
    random,
    network,
    chronicle,
    pid: 'mill',
    ...numbers,
    plans: SMALL_NODES,
  });
  part.server.space.number(['urn:plant:mill-1']);
  const channel = { isAlive: true };
  const session = part.server.createSession(channel, 24 * HOUR_MS);
  assert.ok(typeof session !== 'string');
  // No client keeps the session alive.
  Object.assign(session, { timeoutMs: Infinity });
  const check = new RestCheck({
    chronicle,
    nowMs: () => time.monotonicMs(),
    parts: [part],
    connections: () => 0,
    pendingCalls: () => 0,
  });
  return {
    call(request) {
      request.requestHeader.authenticationToken = new NodeId(NodeId.NodeIdType.NUMERIC, session.token, 0);
      let response: ServiceResponse | undefined;
      part.server.handle(channel, request, (given) => void (response = given));
      return response;
    },
    async brokenAt(ms) {
      await time.runUntil(ms);
      check.checkRest();
      return chronicle.broken?.message ?? '';
    },
  };
}

function subscribe(call: Call): CreateSubscriptionResponse {
  const response = call(
    new CreateSubscriptionRequest({
      requestedPublishingInterval: HOUR_MS,
      requestedMaxKeepAliveCount: 1,
      requestedLifetimeCount: 10,
    }),
  );
  assert.ok(response instanceof CreateSubscriptionResponse);
  return response;
}

function createItem() {
  return {
    itemToMonitor: { nodeId: 'ns=1;s=Speed', attributeId: 13 },
    requestedParameters: { clientHandle: 1, samplingInterval: 100, queueSize: 1 },
  };
}
