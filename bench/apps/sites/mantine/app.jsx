// Mantine's components, with a search that takes its time.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Accordion, Autocomplete, Button, Checkbox, Drawer, FileInput, LoadingOverlay, MantineProvider, Menu, Modal, MultiSelect, NumberInput,
  Pagination, PasswordInput, PinInput, Rating, SegmentedControl, Select, Stepper, Switch, Table, Tabs, TagsInput, TextInput,
} from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';

const PEOPLE = Array.from({ length: 40 }, (_, n) => `Person ${n}`);

function People() {
  const [at, go] = useState(1);
  const [rows, show] = useState(PEOPLE.slice(0, 5));
  const [waiting, wait] = useState(false);
  const load = (page) => {
    go(page);
    wait(true);
    setTimeout(() => { show(PEOPLE.slice(5 * (page - 1), 5 * page)); wait(false); }, 600);
  };
  return (
    <div id="people" style={{ position: 'relative' }}>
      <LoadingOverlay visible={waiting} />
      <Table><Table.Thead><Table.Tr><Table.Th>Name</Table.Th><Table.Th>Room</Table.Th></Table.Tr></Table.Thead>
        <Table.Tbody>{rows.map((name, n) => <Table.Tr key={name}><Table.Td>{name}</Table.Td><Table.Td>{100 + n}</Table.Td></Table.Tr>)}</Table.Tbody></Table>
      <Pagination total={8} value={at} onChange={load} />
    </div>
  );
}

function App() {
  const [asking, ask] = useState(false);
  const [help, openHelp] = useState(false);
  const [step, setStep] = useState(0);
  const [name, setName] = useState('');
  const [error, setError] = useState(null);
  const [saving, setSaving] = useState(false);
  const [told, tell] = useState('Nothing yet');
  const save = () => {
    if (!name) return setError('A name is needed');
    setError(null);
    setSaving(true);
    setTimeout(() => { setSaving(false); tell(`Saved ${name}`); }, 500);
  };
  return (
    <main style={{ maxWidth: 700, padding: 20, display: 'grid', gap: 12 }}>
      <h1>Office</h1>
      <p id="told">{told}</p>
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} error={error} />
      <Button id="save" onClick={save} loading={saving}>Save</Button>
      <Select label="Floor" data={['Ground', 'First', 'Attic']} />
      <MultiSelect label="Days" data={['Monday', 'Tuesday', 'Friday']} defaultValue={['Monday']} />
      <Autocomplete label="Street" data={['Mill Lane', 'Market Square', 'Bridge Street']} />
      <TagsInput label="Tags" />
      <DatePickerInput label="Starts" placeholder="Pick a day" defaultDate="2026-03-01" />
      <NumberInput label="Desks" defaultValue={4} />
      <PasswordInput label="Password" />
      <PinInput length={4} aria-label="Code" onComplete={(code) => tell(`The code is ${code}`)} />
      <SegmentedControl data={['Day', 'Week', 'Month']} />
      <Switch label="Heating" />
      <Checkbox label="Key" />
      <Rating id="rating" />
      <FileInput label="Photo" placeholder="Choose a file" />
      <Menu><Menu.Target><Button variant="default" id="more">More</Button></Menu.Target>
        <Menu.Dropdown><Menu.Item onClick={() => tell('Copied')}>Copy</Menu.Item><Menu.Item onClick={() => ask(true)}>Remove</Menu.Item></Menu.Dropdown></Menu>
      <Button variant="default" id="help" onClick={() => openHelp(true)}>Help</Button>
      <Modal opened={asking} onClose={() => ask(false)} title="Remove the office">
        <p>It cannot be brought back.</p><Button onClick={() => { ask(false); tell('Removed'); }}>Remove it</Button></Modal>
      <Drawer opened={help} onClose={() => openHelp(false)} title="Help">Ask the porter.</Drawer>
      <Stepper active={step} onStepClick={setStep}>
        <Stepper.Step label="Offer">Write the offer.</Stepper.Step><Stepper.Step label="Order">Wait for the order.</Stepper.Step>
        <Stepper.Completed>All is delivered.</Stepper.Completed></Stepper>
      <Button variant="default" id="next" onClick={() => setStep(step + 1)}>Next step</Button>
      <Accordion><Accordion.Item value="a"><Accordion.Control>Rules</Accordion.Control><Accordion.Panel>Lock the door at night.</Accordion.Panel></Accordion.Item></Accordion>
      <Tabs defaultValue="a"><Tabs.List><Tabs.Tab value="a">People</Tabs.Tab><Tabs.Tab value="b">Rooms</Tabs.Tab></Tabs.List>
        <Tabs.Panel value="a"><People /></Tabs.Panel><Tabs.Panel value="b">There are nine rooms.</Tabs.Panel></Tabs>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<MantineProvider><App /></MantineProvider>);
