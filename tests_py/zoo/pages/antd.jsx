import { useState } from "react";
import { createRoot } from "react-dom/client";
import { AutoComplete, Button, Checkbox, Collapse, DatePicker, Dropdown, Form, Input, InputNumber, message, Modal, Popconfirm, Radio, Rate, Select, Slider, Switch, Table, Tabs, Tree } from "antd";
import dayjs from "dayjs";

const people = ["Ada", "Bea", "Carl", "Dora", "Emil", "Fay", "Gus"].map((name, at) => ({ key: at, name, age: 20 + (at * 13) % 40 }));

function App() {
  const [asked, setAsked] = useState("");
  const [open, setOpen] = useState(false);
  const [picked, setPicked] = useState([]);
  const [form] = Form.useForm();
  window.values = () => { const { day, ...rest } = form.getFieldsValue(); return { ...rest, day: day?.format("YYYY-MM-DD") }; };
  window.asked = asked;
  window.picked = picked;
  return (
    <>
      <Form form={form} style={{ maxWidth: 500 }} initialValues={{ day: dayjs("2030-05-15"), pace: "slow", volume: 20, guests: 2 }}>
        <Form.Item label="Size" name="size"><Select options={["Small", "Medium", "Large"].map((value) => ({ value }))} /></Form.Item>
        <Form.Item label="Tags" name="tags"><Select mode="multiple" options={["Red", "Green", "Blue"].map((value) => ({ value }))} /></Form.Item>
        <Form.Item label="City" name="city"><AutoComplete options={["Lisbon", "Lima", "London"].map((value) => ({ value }))} showSearch={{ filterOption: (text, option) => option.value.toLowerCase().startsWith(text.toLowerCase()) }} /></Form.Item>
        <Form.Item label="Arrival" name="day"><DatePicker /></Form.Item>
        <Form.Item label="Guests" name="guests"><InputNumber /></Form.Item>
        <Form.Item label="Name" name="name"><Input /></Form.Item>
        <Form.Item name="news" valuePropName="checked"><Checkbox>News</Checkbox></Form.Item>
        <Form.Item label="Dark" name="dark" valuePropName="checked"><Switch /></Form.Item>
        <Form.Item label="Pace" name="pace"><Radio.Group options={[{ value: "slow", label: "Slow" }, { value: "fast", label: "Fast" }]} /></Form.Item>
        <Form.Item label="Volume" name="volume"><Slider /></Form.Item>
        <Form.Item label="Stars" name="stars"><Rate /></Form.Item>
      </Form>
      <Button onClick={() => setOpen(true)}>Delete</Button>
      <Modal title="Delete it?" open={open} onCancel={() => setOpen(false)} onOk={() => { setAsked("deleted"); setOpen(false); message.success("Deleted for good"); }}>It is gone then.</Modal>
      <Popconfirm title="Empty the bin?" onConfirm={() => setAsked("emptied")}><Button>Empty</Button></Popconfirm>
      <Dropdown menu={{ items: [{ key: "rename", label: "Rename" }, { key: "archive", label: "Archive" }], onClick: ({ key }) => setAsked(key) }}><Button>More</Button></Dropdown>
      <Tabs items={[{ key: "1", label: "One", children: "Text of one" }, { key: "2", label: "Two", children: "Text of two" }]} />
      <Collapse items={[{ key: "1", label: "Why?", children: "Because it is so." }]} />
      <Table id="people" dataSource={people} pagination={{ pageSize: 4 }} rowSelection={{ onChange: setPicked }} columns={[{ title: "Name", dataIndex: "name", sorter: (a, b) => a.name.localeCompare(b.name) }, { title: "Age", dataIndex: "age", sorter: (a, b) => a.age - b.age }]} />
      <Tree treeData={[{ title: "Fruit", key: "f", children: [{ title: "Apple", key: "a" }] }]} onSelect={([key]) => setAsked(key)} />
    </>
  );
}

createRoot(document.getElementById("root")).render(<App />);
