// Ant Design's components on one page.
import { createRoot } from 'react-dom/client';
import { useState } from 'react';
import { Alert, AutoComplete, Breadcrumb, Button, Cascader, Checkbox, Collapse, DatePicker, Drawer, Dropdown, Form, Input,
  InputNumber, Menu, Modal, Pagination, Popconfirm, Radio, Rate, Segmented, Select, Slider, Steps, Switch, Table, Tabs, Tag,
  TimePicker, Tooltip, Transfer, Tree, TreeSelect, Upload } from 'antd';

const people = Array.from({ length: 24 }, (_, key) => ({ key, name: `Person ${key}`, age: 20 + key, city: ['Oslo', 'Bari'][key % 2] }));
const columns = [
  { title: 'Name', dataIndex: 'name', sorter: (a, b) => a.name.localeCompare(b.name) },
  { title: 'Age', dataIndex: 'age', sorter: (a, b) => a.age - b.age },
  { title: 'City', dataIndex: 'city', filters: [{ text: 'Oslo', value: 'Oslo' }, { text: 'Bari', value: 'Bari' }], onFilter: (v, r) => r.city === v },
  { title: 'Action', render: () => <Popconfirm title="Sure?"><a>Delete</a></Popconfirm> },
];
const cities = ['Oslo', 'Turku', 'Bari', 'Malaga'].map((value) => ({ value, label: value }));
const tree = [{ title: 'Europe', value: 'eu', key: 'eu', children: cities.map((c) => ({ title: c.label, value: c.value, key: c.value })) }];

function App() {
  const [modal, setModal] = useState(false), [drawer, setDrawer] = useState(false);
  return (
    <main style={{ padding: 20 }}>
      <Breadcrumb items={[{ title: 'Home', href: '#' }, { title: 'People' }]} />
      <Menu mode="horizontal" items={[{ key: 'a', label: 'People' }, { key: 'b', label: 'More', children: [{ key: 'c', label: 'Teams' }] }]} />
      <Alert title="Two people are new" type="info" showIcon closable />
      <Form layout="vertical" style={{ maxWidth: 500 }}>
        <Form.Item label="Name" name="name" required tooltip="As in the passport"><Input placeholder="Full name" allowClear /></Form.Item>
        <Form.Item label="Password" name="password"><Input.Password /></Form.Item>
        <Form.Item label="City" name="city"><Select id="city" showSearch options={cities} placeholder="Choose a city" /></Form.Item>
        <Form.Item label="Teams" name="teams"><Select mode="multiple" options={cities} defaultValue={['Bari']} /></Form.Item>
        <Form.Item label="Region" name="region"><Cascader options={[{ value: 'eu', label: 'Europe', children: cities }]} /></Form.Item>
        <Form.Item label="Place" name="place"><TreeSelect treeData={tree} /></Form.Item>
        <Form.Item label="Street" name="street"><AutoComplete options={cities} /></Form.Item>
        <Form.Item label="Age" name="age"><InputNumber min={1} max={99} /></Form.Item>
        <Form.Item label="Born" name="born"><DatePicker /></Form.Item>
        <Form.Item label="At" name="at"><TimePicker /></Form.Item>
        <Form.Item label="Level" name="level"><Slider defaultValue={30} /></Form.Item>
        <Form.Item label="Stars" name="stars"><Rate /></Form.Item>
        <Form.Item label="Plan" name="plan"><Radio.Group options={['Basic', 'Pro']} defaultValue="Pro" /></Form.Item>
        <Form.Item label="Mail" name="mail" valuePropName="checked"><Switch /></Form.Item>
        <Form.Item name="terms" valuePropName="checked"><Checkbox>I accept the terms</Checkbox></Form.Item>
        <Form.Item label="File" name="file"><Upload><Button>Choose a file</Button></Upload></Form.Item>
        <Form.Item label="Note" name="note"><Input.TextArea showCount maxLength={100} /></Form.Item>
        <Button type="primary" htmlType="submit">Save</Button> <Button disabled>Delete</Button>
        <Tooltip title="Opens a dialog"><Button onClick={() => setModal(true)} id="open-modal">Open dialog</Button></Tooltip>
        <Button onClick={() => setDrawer(true)} id="open-drawer">Open drawer</Button>
        <Dropdown menu={{ items: [{ key: 1, label: 'Copy' }, { key: 2, label: 'Move', disabled: true }] }} trigger={['click']}><Button id="more">More</Button></Dropdown>
      </Form>
      <Segmented options={['Day', 'Week', 'Month']} />
      <Steps current={1} items={[{ title: 'Order' }, { title: 'Pay' }, { title: 'Done' }]} />
      <Tabs items={[{ key: 1, label: 'One', children: 'First' }, { key: 2, label: 'Two', children: 'Second' }]} />
      <Collapse items={[{ key: 1, label: 'Details', children: <p>More.</p> }]} />
      <Tag closable>new</Tag>
      <Table rowSelection={{}} columns={columns} dataSource={people} pagination={{ pageSize: 5 }} expandable={{ expandedRowRender: (r) => r.name }} />
      <Tree checkable defaultExpandAll treeData={tree} />
      <Transfer dataSource={people.slice(0, 5).map((p) => ({ key: p.key, title: p.name }))} targetKeys={[1]} render={(i) => i.title} />
      <Pagination total={85} showSizeChanger />
      <Modal title="Invite" open={modal} onOk={() => setModal(false)} onCancel={() => setModal(false)}><Input aria-label="Mail address" /></Modal>
      <Drawer title="Settings" open={drawer} onClose={() => setDrawer(false)}><Checkbox>Dense</Checkbox></Drawer>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<App />);
