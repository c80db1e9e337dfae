import { expect, test, vi } from 'vitest';
import { FakePlatform } from './fake';
import { call, connect, invalidate, onEvent, resource } from './index';

const later = <T>() => {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
};

test('an older answer never replaces a newer one', async () => {
  const [slow, quick] = [later<string>(), later<string>()];
  const read = vi.fn().mockReturnValueOnce(slow.promise).mockReturnValueOnce(quick.promise);
  const found = resource<string>([], read);
  const loads = [found.load(), found.load()];
  quick.settle('new');
  slow.settle('old');
  await Promise.all(loads);
  expect(found.value).toBe('new');
  expect(found.loading).toBe(false);
});

test('the old value stays when a load fails, with the reason beside it', async () => {
  const read = vi
    .fn()
    .mockResolvedValueOnce('value')
    .mockRejectedValueOnce({ code: 'busy', field: null, message: 'locked' });
  const found = resource<string>([], read);
  await found.load();
  await found.load();
  expect([found.value, found.error?.code]).toEqual(['value', 'busy']);
});

test('a write refreshes what it invalidates, once', async () => {
  await connect(new FakePlatform());
  const read = vi.fn().mockResolvedValue([]);
  const memories = resource(['memories'], read);
  await memories.load();
  await call('add_memory', { memory: { text: '통로 쪽 좌석이 좋아요', category: null } });
  invalidate(['memories', 'review']);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  memories.stop();
  invalidate(['memories']);
  await new Promise((done) => setTimeout(done, 40));
  expect(read).toHaveBeenCalledTimes(2);
});

test('a failure that is not an engine error becomes one', async () => {
  const fake = new FakePlatform();
  vi.spyOn(fake, 'call').mockRejectedValue(new Error('the pipe broke'));
  await connect(fake);
  await expect(call('health', {})).rejects.toEqual({ code: 'internal', field: null, message: 'the pipe broke' });
});

test('events reach whoever listens, until they stop', async () => {
  const fake = new FakePlatform();
  await connect(fake);
  const heard = vi.fn();
  const stop = onEvent(heard);
  fake.emit({ type: 'changed', tags: ['health'] });
  stop();
  fake.emit({ type: 'changed', tags: ['health'] });
  expect(heard).toHaveBeenCalledTimes(1);
});
