// React Aria's components and dnd kit: popovers, collections, a combobox, a drag by mouse and by keyboard.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Button, Calendar, CalendarCell, CalendarGrid, Cell, Checkbox, Column, ComboBox, DateInput, DatePicker, DateSegment, Dialog,
  DialogTrigger, Disclosure, DisclosurePanel, Form, Group, FieldError, Heading, Input, Label, ListBox, ListBoxItem, Menu, MenuItem,
  MenuTrigger, Modal, ModalOverlay, NumberField, Popover, Row, SearchField, Select, SelectValue, Switch, Tab, TabList, TabPanel, Table,
  TableBody, TableHeader, Tabs, TagGroup, TagList, Tag, TextField,
} from 'react-aria-components';
import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';

const PLANTS = ['Basil', 'Beet', 'Carrot', 'Dill', 'Fennel', 'Leek'].map((name, n) => ({ id: name, name, height: 10 + (n * 37) % 60 }));

function Beds() {
  const [sort, setSort] = useState({ column: 'name', direction: 'ascending' });
  const rows = [...PLANTS].sort((a, b) => (a[sort.column] < b[sort.column] ? -1 : 1) * (sort.direction === 'ascending' ? 1 : -1));
  return (
    <Table aria-label="Beds" selectionMode="multiple" selectionBehavior="toggle" sortDescriptor={sort} onSortChange={setSort}>
      <TableHeader>
        <Column id="name" isRowHeader allowsSorting>Name</Column>
        <Column id="height" allowsSorting>Height</Column>
      </TableHeader>
      <TableBody items={rows}>{(row) => <Row id={row.id}><Cell>{row.name}</Cell><Cell>{row.height} cm</Cell></Row>}</TableBody>
    </Table>
  );
}

function Job({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = { transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined, transition, padding: 8, width: 200, border: '1px solid' };
  return <li ref={setNodeRef} style={style} {...attributes} {...listeners}>{id}</li>;
}

function Jobs() {
  const [jobs, setJobs] = useState(['Dig', 'Sow', 'Water', 'Weed']);
  const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  const end = ({ active, over }) => over && active.id !== over.id
    && setJobs((all) => arrayMove(all, all.indexOf(active.id), all.indexOf(over.id)));
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={end}>
      <SortableContext items={jobs} strategy={verticalListSortingStrategy}>
        <ul id="jobs" style={{ listStyle: 'none' }}>{jobs.map((id) => <Job key={id} id={id} />)}</ul>
      </SortableContext>
    </DndContext>
  );
}

function App() {
  const [tags, setTags] = useState(['Shade', 'Sun', 'Wind']);
  const [told, tell] = useState('Nothing yet');
  return (
    <main style={{ display: 'grid', gap: 10 }}>
      <h1>Garden</h1>
      <p role="status" id="told">{told}</p>
      <MenuTrigger>
        <Button id="tools">Tools</Button>
        <Popover><Menu onAction={(key) => tell(`Took the ${key}`)}>
          <MenuItem id="spade">Spade</MenuItem><MenuItem id="rake">Rake</MenuItem><MenuItem id="hoe">Hoe</MenuItem>
        </Menu></Popover>
      </MenuTrigger>
      <Select id="soil" onSelectionChange={(key) => tell(`Soil is ${key}`)}>
        <Label>Soil</Label><Button><SelectValue /></Button>
        <Popover><ListBox>{['Clay', 'Loam', 'Sand'].map((name) => <ListBoxItem key={name} id={name}>{name}</ListBoxItem>)}</ListBox></Popover>
      </Select>
      <ComboBox id="plant" defaultItems={PLANTS}>
        <Label>Plant</Label><Input /><Button>▼</Button>
        <Popover><ListBox>{(item) => <ListBoxItem id={item.id}>{item.name}</ListBoxItem>}</ListBox></Popover>
      </ComboBox>
      <NumberField defaultValue={3} minValue={0}><Label>Rows</Label><Group><Button slot="decrement">-</Button><Input /><Button slot="increment">+</Button></Group></NumberField>
      <DatePicker id="day"><Label>Day</Label>
        <Group><DateInput>{(segment) => <DateSegment segment={segment} />}</DateInput><Button>Pick</Button></Group>
        <Popover><Dialog><Calendar><header><Button slot="previous">◀</Button><Heading /><Button slot="next">▶</Button></header>
          <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid></Calendar></Dialog></Popover>
      </DatePicker>
      <Switch>Sprinkler</Switch>
      <Checkbox>Fence</Checkbox>
      <TagGroup onRemove={(keys) => setTags((all) => all.filter((each) => !keys.has(each)))}><Label>Needs</Label>
        <TagList>{tags.map((each) => <Tag key={each} id={each} textValue={each}>{each}<Button slot="remove" aria-label={`Remove ${each}`}>x</Button></Tag>)}</TagList>
      </TagGroup>
      <DialogTrigger>
        <Button id="plan">Plan</Button>
        <ModalOverlay isDismissable style={{ position: 'fixed', inset: 0, background: 'rgb(0 0 0 / 30%)' }}><Modal style={{ background: 'white', margin: 80, padding: 20 }}>
          <Dialog>{({ close }) => (
            <Form onSubmit={(event) => { event.preventDefault(); tell(`Planned by ${new FormData(event.target).get('who')}`); close(); }}>
              <Heading slot="title">New plan</Heading>
              <TextField name="who" isRequired><Label>Who</Label><Input /><FieldError /></TextField>
              <Button type="submit">Plan it</Button>
            </Form>
          )}</Dialog>
        </Modal></ModalOverlay>
      </DialogTrigger>
      <Disclosure><Heading><Button slot="trigger">Compost</Button></Heading><DisclosurePanel>Turn it in spring.</DisclosurePanel></Disclosure>
      <Tabs><TabList aria-label="Parts"><Tab id="beds">Beds</Tab><Tab id="jobs">Jobs</Tab></TabList>
        <TabPanel id="beds"><Beds /></TabPanel><TabPanel id="jobs"><Jobs /></TabPanel></Tabs>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<App />);
