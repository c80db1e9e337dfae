// The one door to Rust: `call` a command, listen to events, and be told which kinds of data went stale.
export * from './generated/types';
export { TAGS, type Commands } from './generated/commands';
export { asEngineError, type CommandName, type Platform } from './platform';
export { call, connect, invalidate, onEvent, onStale } from './connection';
export { resource, type Resource } from './resource.svelte';
