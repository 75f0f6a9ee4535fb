// Peer "js03": an echo agent on @a2a-js/sdk 0.3.14, A2A 0.3 over JSON-RPC,
// HTTP+JSON and gRPC.
//
//   node server.mjs --http PORT --grpc PORT
import { parseArgs } from 'node:util';
import express from 'express';
import grpc from '@grpc/grpc-js';
import {
  DefaultExecutionEventBusManager, DefaultPushNotificationSender, DefaultRequestHandler,
  InMemoryPushNotificationStore, InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

const { values: flags } = parseArgs({ options: { http: { type: 'string' }, grpc: { type: 'string' } } });
const base = `http://127.0.0.1:${flags.http}`;
const card = {
  name: 'js03 echo', description: 'echo agent (@a2a-js/sdk 0.3.14)', version: '1.0.0', protocolVersion: '0.3.0',
  url: `${base}/a2a/jsonrpc`, preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${base}/a2a/jsonrpc`, transport: 'JSONRPC' },
    { url: `${base}/a2a/rest`, transport: 'HTTP+JSON' },
    { url: `127.0.0.1:${flags.grpc}`, transport: 'GRPC' },
  ],
  capabilities: { streaming: true, pushNotifications: true }, supportsAuthenticatedExtendedCard: true,
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'echoes', tags: ['test'] }],
};

const sleep = ms => new Promise(done => setTimeout(done, ms));
const part = text => ({ kind: 'text', text });
const cancelled = new Set();

// Echo answers every text; "slow" works until it is cancelled, "message:" is
// answered without a task, "fail" and "input" end as they say.
class Echo {
  async execute(ask, bus) {
    const { taskId, contextId } = ask;
    const text = ask.userMessage.parts.map(p => (p.kind === 'text' ? p.text : '')).join('');
    const message = words => ({ kind: 'message', messageId: crypto.randomUUID(), role: 'agent', parts: [part(words)], contextId });
    const status = (state, words) => ({ state, timestamp: new Date().toISOString(), ...(words ? { message: { ...message(words), taskId } } : {}) });
    const tell = (state, final, words) => bus.publish({ kind: 'status-update', taskId, contextId, status: status(state, words), final });
    if (text.startsWith('message:')) {
      bus.publish(message(`echo: ${text}`));
      return bus.finished();
    }
    if (!ask.task) {
      bus.publish({ kind: 'task', id: taskId, contextId, status: status('submitted'), history: [ask.userMessage] });
    }
    tell('working', false, 'working');
    if (text.startsWith('slow')) {
      for (let i = 0; i < 300; i++) {
        await sleep(20);
        if (cancelled.has(taskId)) {
          tell('canceled', true);
          return bus.finished();
        }
      }
    }
    if (text.startsWith('input')) {
      tell('input-required', true, 'which one?');
      return bus.finished();
    }
    if (text.startsWith('fail')) {
      tell('failed', true, 'failed on purpose');
      return bus.finished();
    }
    await sleep(20);
    bus.publish({ kind: 'artifact-update', taskId, contextId, artifact: { artifactId: 'echo', name: 'echo', parts: [part(`echo: ${text}`)] }, lastChunk: true });
    tell('completed', true);
    bus.finished();
  }

  cancelTask = async id => { cancelled.add(id); };
}

const hooks = new InMemoryPushNotificationStore();
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo(), new DefaultExecutionEventBusManager(),
  hooks, new DefaultPushNotificationSender(hooks), { ...card, name: 'js03 echo (extended)' });
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/a2a/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/a2a/rest', restHandler({ requestHandler, userBuilder }));
app.listen(+flags.http, '127.0.0.1');

const rpc = new grpc.Server();
rpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
rpc.bindAsync(`127.0.0.1:${flags.grpc}`, grpc.ServerCredentials.createInsecure(), err => { if (err) throw err; });
